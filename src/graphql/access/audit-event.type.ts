import { GraphQLJSON } from 'graphql-scalars';
import { ArgsType, ID, InputType, ObjectType } from 'type-graphql';

import type {
  AuditEvent as CoreAuditEvent,
  AuditFilter as CoreFilter,
} from '../../core/access/operators/stored-audit-log.js';
import { connectionOf } from '../common/connection.js';
import { Role, RunOutcome, SignInMethod } from '../common/enums.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { forwardArgs } from '../common/page-args.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { inputFields, nullable } from '../common/fields.js';
import { withDates } from '../common/dates.js';

@ObjectType({ implements: Node })
export class AuditEvent extends nodeFields({
  at: Date,
  actor: String,
  role: Role,
  method: SignInMethod,
  action: String,
  targetType: nullable(String),
  targetId: nullable(ID),
  summary: String,
  outcome: RunOutcome,
  address: nullable(String),
  requestId: String,
  detail: nullable(GraphQLJSON),
}) {}

export const AuditEventConnection = connectionOf('AuditEvent', () => AuditEvent);

@InputType()
export class AuditFilter extends inputFields({
  search: nullable(String),
  actor: nullable(String),
  action: nullable(String),
  outcome: nullable(RunOutcome),
  changesOnly: nullable(Boolean),
  after: nullable(Date),
  before: nullable(Date),
}) {}

@ArgsType()
export class AuditEventsArgs extends forwardArgs({
  filter: nullable(AuditFilter),
}) {}

/** An audit entry for operators. */
export function toAuditEvent(event: CoreAuditEvent, context: GraphqlContext): AuditEvent {
  const detail = context.services.privacy.auditDetail(viewerOf(context).role, event.detail);
  return { ...withDates(event), id: toNodeId('AuditEvent', event.id), detail };
}

/** The filter in the core's form. */
export function toAuditFilter(filter: AuditFilter): CoreFilter {
  const { after, before, ...rest } = filter;
  return { ...rest, afterTs: after?.getTime() ?? null, beforeTs: before?.getTime() ?? null };
}

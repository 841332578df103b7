import { GraphQLJSON } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';

import type {
  AuditEvent as CoreAuditEvent,
  AuditFilter as CoreFilter,
} from '../../core/access/operators/stored-audit-log.js';
import { connectionOf } from '../common/connection.js';
import { Role, RunOutcome, SignInMethod } from '../common/enums.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node } from '../nodes/node.type.js';
import { ForwardArgs } from '../common/page-args.js';
import { viewerOf } from '../context.js';
import type { GraphqlContext } from '../context.js';

@ObjectType({ implements: Node })
export class AuditEvent extends Node {
  @Field(() => Date)
  at!: Date;

  @Field(() => String)
  actor!: string;

  @Field(() => Role)
  role!: Role;

  @Field(() => SignInMethod)
  method!: SignInMethod;

  @Field(() => String)
  action!: string;

  @Field(() => String, { nullable: true })
  targetType!: string | null;

  @Field(() => ID, { nullable: true })
  targetId!: string | null;

  @Field(() => String)
  summary!: string;

  @Field(() => RunOutcome)
  outcome!: RunOutcome;

  @Field(() => String, { nullable: true })
  address!: string | null;

  @Field(() => String)
  requestId!: string;

  @Field(() => GraphQLJSON, { nullable: true })
  detail!: unknown;
}

export const AuditEventConnection = connectionOf('AuditEvent', () => AuditEvent);

@InputType()
export class AuditFilter {
  @Field(() => String, { nullable: true })
  search?: string | null;

  @Field(() => String, { nullable: true })
  actor?: string | null;

  @Field(() => String, { nullable: true })
  action?: string | null;

  @Field(() => RunOutcome, { nullable: true })
  outcome?: RunOutcome | null;

  @Field(() => Date, { nullable: true })
  after?: Date | null;

  @Field(() => Date, { nullable: true })
  before?: Date | null;
}

@ArgsType()
export class AuditEventsArgs extends ForwardArgs {
  @Field(() => AuditFilter, { nullable: true })
  filter?: AuditFilter | null;
}

/** An audit entry for operators. */
export function toAuditEvent({ id, ts, ...rest }: CoreAuditEvent, context: GraphqlContext): AuditEvent {
  const detail = context.services.privacy.auditDetail(viewerOf(context).role, rest.detail);
  return { ...rest, id: toNodeId('AuditEvent', id), at: new Date(ts), detail };
}

/** The filter in the core's form. */
export function toAuditFilter(filter: AuditFilter): CoreFilter {
  const { after, before, ...rest } = filter;
  return { ...rest, afterTs: after?.getTime() ?? null, beforeTs: before?.getTime() ?? null };
}

import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, ObjectType, registerEnumType } from 'type-graphql';

import {
  REQUEST_EVENT_KINDS,
  type UnloggedFailures as CoreUnloggedFailures,
} from '../../core/operators/requests/request-journal.js';
import type { SharedEvent } from '../../core/operators/requests/shared-journal.js';
import { AuditEvent } from '../access/audit-event.type.js';
import { BlockHit } from '../blocking/block-hit.type.js';
import { toDate } from '../common/dates.js';
import { nullable, objectFields } from '../common/fields.js';
import { shownText, shownUrl } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';

type RequestEventKind = (typeof REQUEST_EVENT_KINDS)[number];
const RequestEventKind: Readonly<Record<string, RequestEventKind>> = Object.fromEntries(
  REQUEST_EVENT_KINDS.map((kind) => [kind.toUpperCase(), kind]),
);
registerEnumType(RequestEventKind, { name: 'RequestEventKind' });

@ObjectType()
export class RequestEvent extends objectFields({
  requestId: String,
  at: Date,
  kind: RequestEventKind,
  subject: String,
  outcome: String,
  detail: nullable(String),
  mediaId: nullable(ID),
  instance: String,
}) {}

@ObjectType()
export class HostRequests extends objectFields({
  events: [RequestEvent],
  keptEvents: GraphQLSafeInt,
  silent: [String],
}) {}

@ObjectType()
export class UnloggedFailures extends objectFields({
  count: GraphQLSafeInt,
  since: Date,
  until: Date,
}) {}

@ObjectType()
export class RequestStory extends objectFields({
  requestId: String,
  events: [RequestEvent],
  whole: Boolean,
  keptEvents: GraphQLSafeInt,
  silent: [String],
  unlogged: nullable(UnloggedFailures),
  audit: [AuditEvent],
  refusals: [BlockHit],
}) {}

/** One event for those who ask. */
export function toRequestEvent(
  { requestId, ts, kind, subject, outcome, detail, mediaId, instance }: SharedEvent,
  context: GraphqlContext,
): RequestEvent {
  return {
    requestId,
    at: toDate(ts),
    kind,
    subject: kind === 'preview' ? shownUrl(subject, context) : shownText(subject, context),
    outcome,
    detail: detail === null ? null : shownText(detail, context),
    mediaId,
    instance,
  };
}

export function toUnloggedFailures({ count, sinceTs, untilTs }: CoreUnloggedFailures): UnloggedFailures {
  return { count, since: toDate(sinceTs), until: toDate(untilTs) };
}

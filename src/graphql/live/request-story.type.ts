import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, ObjectType } from 'type-graphql';

import {
  REQUEST_EVENT_KINDS,
  type UnloggedFailures as CoreUnloggedFailures,
} from '../../core/operators/requests/request-journal.js';
import type { SharedEvent } from '../../core/operators/requests/shared-journal.js';
import { AuditEvent } from '../access/audit-event.type.js';
import { BlockHit } from '../blocking/block-hit.type.js';
import { toDate, withDates } from '../common/dates.js';
import { wordsEnum } from '../common/enums.js';
import { nullable, objectFields } from '../common/fields.js';
import { shownText, shownUrl } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';

const RequestEventKind = wordsEnum('RequestEventKind', REQUEST_EVENT_KINDS);

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
export function toRequestEvent(event: SharedEvent, context: GraphqlContext): RequestEvent {
  const { kind, subject, detail } = event;
  return {
    ...withDates(event),
    subject: kind === 'preview' ? shownUrl(subject, context) : shownText(subject, context),
    detail: detail === null ? null : shownText(detail, context),
  };
}

export function toUnloggedFailures({ count, sinceTs, untilTs }: CoreUnloggedFailures): UnloggedFailures {
  return { count, since: toDate(sinceTs), until: toDate(untilTs) };
}

import { GraphQLJSON } from 'graphql-scalars';
import { InputType, ObjectType, Resolver } from 'type-graphql';

import { textOf } from '../../core/base/text/strings.js';
import type { EventFilter, EventRow } from '../../core/operators/keys/key-events.js';
import { connectionOf, connectionTo, type Connection, pageArgs } from '../common/connection.js';
import { toDate, withDates } from '../common/dates.js';
import { field, inputFields, nullable, objectFields, nodeFields, toNodeId } from '../common/fields.js';
import type { GraphqlContext } from '../context.js';
import { KeyEventKind, KeyEventSeverity } from './enums.js';
import { ArgsQuery } from '../common/operations.js';

@ObjectType({ description: 'An acknowledgement of an alarm' })
export class Acknowledgement extends objectFields({
  at: field(Date, 'When it was acknowledged'),
  actor: field(String, 'Who acknowledged it'),
  reason: field(String, 'Reason given by the operator'),
}) {}

@ObjectType({ description: 'A change of the keys of a server' })
export class KeyEvent extends nodeFields({
  at: field(Date, 'When it was detected'),
  serverName: field(String, 'The server whose keys changed'),
  kind: field(KeyEventKind, 'What happened'),
  severity: field(KeyEventSeverity, 'Importance'),
  message: field(String, 'What happened, in one sentence'),
  keyId: nullable(String, 'The key; null if it concerns the whole record'),
  detail: nullable(GraphQLJSON, 'Facts by name, such as the key before and after'),
  acknowledged: nullable(
    Boolean,
    'Whether the alarm is acknowledged; null if this is not an alarm, or no longer one',
  ),
  acknowledgement: nullable(Acknowledgement, 'Acknowledgement of the alarm; null without one'),
  hasRecord: field(Boolean, 'Whether it came with a record'),
}) {
  recordId!: number | null;
}

export const KeyEventConnection = connectionOf('KeyEvent', () => KeyEvent);

/** A row as the API shows it. */
export function toKeyEvent(row: EventRow): KeyEvent {
  const { acknowledgement } = row;
  return {
    ...withDates(row),
    id: toNodeId('KeyEvent', row.seq),
    message: row.sentence,
    acknowledged: row.isAcknowledged,
    acknowledgement: acknowledgement && { ...acknowledgement, at: toDate(acknowledgement.ts) },
    hasRecord: row.recordId !== null,
  };
}

export const SERVER_PATTERN = 'example.org is that server, *.example.org its subdomains, .example.org both';

@InputType({ description: 'Filter of key events' })
class KeyEventFilter extends inputFields({
  search: nullable(String, 'Part of the server name'),
  server: nullable(String, SERVER_PATTERN),
  kinds: nullable([KeyEventKind], 'One of these kinds'),
  acknowledged: nullable(Boolean, 'Only acknowledged alarms, or only open ones'),
  after: nullable(Date, 'Not before this time'),
  before: nullable(Date, 'Before this time'),
}) {}

class KeyEventListArgs extends pageArgs({
  filter: nullable(KeyEventFilter, 'Conditions; all must hold'),
}) {}

function toEventFilter(filter: KeyEventFilter): EventFilter {
  const kinds = [...new Set(filter.kinds ?? [])];
  return {
    search: textOf(filter.search),
    server: textOf(filter.server),
    kinds: kinds.length === 0 ? null : kinds,
    isAcknowledged: filter.acknowledged ?? null,
    fromTs: filter.after?.getTime() ?? null,
    toTs: filter.before?.getTime() ?? null,
  };
}

@Resolver()
export class KeyEventResolver {
  @ArgsQuery(KeyEventListArgs, KeyEventConnection, 'Key changes of all servers, newest first')
  keyEvents({ filter, ...args }: KeyEventListArgs, context: GraphqlContext): Promise<Connection<KeyEvent>> {
    const list = context.services.keys.eventFeed;
    return connectionTo({ list, wanted: toEventFilter(filter ?? {}), args }, context, toKeyEvent);
  }
}

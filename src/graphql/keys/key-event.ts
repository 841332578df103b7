import { GraphQLJSON } from 'graphql-scalars';
import { InputType, ObjectType, Resolver } from 'type-graphql';

import { eventList, type EventRow } from '../../core/operators/keys/key-events.js';
import { connectionOf, connectionTo, pageArgs } from '../common/connection.js';
import { withDates } from '../common/dates.js';
import { field, inputFields, nullable, objectFields, nodeFields, toNodeId } from '../common/fields.js';
import { ArgsQuery } from '../common/operations.js';
import type { GraphqlContext } from '../context.js';
import { KeyEventKind, KeyEventSeverity } from './enums.js';

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

export function toKeyEvent(row: EventRow): KeyEvent {
  const { acknowledgement, seq, recordId } = row;
  return {
    ...withDates(row),
    id: toNodeId('KeyEvent', seq),
    acknowledgement: acknowledgement && withDates(acknowledgement),
    hasRecord: recordId !== null,
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

@Resolver()
export class KeyEventResolver {
  @ArgsQuery(KeyEventListArgs, KeyEventConnection, 'Key changes of all servers, newest first')
  keyEvents({ filter, ...args }: KeyEventListArgs, context: GraphqlContext) {
    const list = eventList(context.services.database);
    return connectionTo({ list, wanted: filter ?? {}, args }, context, toKeyEvent);
  }
}

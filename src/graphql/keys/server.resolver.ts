import { Int, ObjectType, InputType, Resolver } from 'type-graphql';

import { parseServerName } from '../../core/notary/federation/server-name.js';
import { causeOf } from '../../core/operators/keys/failure-cause.js';
import { fetchList } from '../../core/operators/keys/fetch-history.js';
import { findAcknowledgements, findAlarms } from '../../core/operators/keys/key-alarms.js';
import { eventList, findEvents } from '../../core/operators/keys/key-events.js';
import { bandList } from '../../core/operators/keys/key-history.js';
import { findKeyEntries } from '../../core/operators/keys/key-records.js';
import { findServers, keyStateOf, type ServerRow, serverList } from '../../core/operators/keys/servers.js';
import { connectionOf, connectionTo, ForwardArgs, forwardArgs, pageArgs } from '../common/connection.js';
import { toDate, withDates } from '../common/dates.js';
import { SortDirection } from '../common/enums.js';
import { field, nullable, nodeFields, toNodeId, inputFields } from '../common/fields.js';
import { badUserInput } from '../common/graphql-errors.js';
import { ArgsQuery, Detail, NullableQuery } from '../common/operations.js';
import { lookupBy, lookupAllBy, type GraphqlContext } from '../context.js';
import { FailureCause, KeyState, FetchOutcome, ServerSortField } from './enums.js';
import { Acknowledgement, KeyEvent, KeyEventConnection, SERVER_PATTERN, toKeyEvent } from './key-event.js';
import { KeyFetch, KeyFetchConnection, latestFetchOf, toKeyFetch } from './key-fetch.js';
import { RecordBandConnection, toRecordBand, KeyRecord, toKeyRecord } from './key-record.js';

@ObjectType({ description: 'A server whose keys were requested' })
export class RemoteServer extends nodeFields({
  name: field(String, 'Server name'),
  federationAllowed: field(Boolean, 'Whether federation_domain_whitelist allows it'),
  worstState: nullable(KeyState, 'State of the newest record; null without a record'),
  backoffUntil: nullable(Date, 'No fetch before this time; null without back-off'),
  failCount: field(Int, 'Consecutive failed fetches'),
  failureCause: nullable(FailureCause, 'Why the last fetch failed; null if it succeeded'),
  keyCount: field(Int, 'Number of known key IDs'),
  addedAt: nullable(Date, 'When the newest record was fetched'),
  validUntil: nullable(Date, 'When the newest record expires'),
  refetchAfter: nullable(Date, 'After this time a query fetches the record again'),
  needsLook: field(Boolean, 'Whether an alarm is not acknowledged'),
}) {}

const RemoteServerConnection = connectionOf('RemoteServer', () => RemoteServer);

function toRemoteServer(row: ServerRow, { services }: GraphqlContext): RemoteServer {
  const nowTs = services.clock.now();
  return {
    ...withDates(row),
    id: toNodeId('RemoteServer', row.serverName),
    name: row.serverName,
    federationAllowed: services.keys.whitelist.allows(row.serverName),
    worstState: keyStateOf(row, nowTs),
    backoffUntil: row.nextTryTs > nowTs ? toDate(row.nextTryTs) : null,
    failureCause: row.lastErrorReason === null ? null : causeOf(row.lastErrorReason),
    validUntil: toDate(row.validUntilTs),
    refetchAfter: toDate(row.dueTs),
    needsLook: row.alarmSeq !== null,
  };
}

/** Servers by name; names no server can have are not looked for. */
export const serverByName = lookupBy(
  (names: readonly string[], { services }: GraphqlContext) =>
    findServers(
      services.database,
      names.filter((name) => parseServerName(name) !== null),
    ),
  ({ serverName }) => serverName,
  toRemoteServer,
);

@InputType({ description: 'Filter of servers' })
class ServerFilter extends inputFields({
  search: nullable(String, 'Part of the name'),
  server: nullable(String, SERVER_PATTERN),
  state: nullable(KeyState, 'State of the newest record'),
  failing: nullable(Boolean, 'Whether the last fetch failed'),
  cause: nullable(FailureCause, 'Why the last fetch failed'),
  needsLook: nullable(Boolean, 'Whether an alarm is not acknowledged'),
  federationAllowed: nullable(Boolean, 'Whether federation_domain_whitelist allows it'),
  validUntilBefore: nullable(Date, 'The newest record expires before this time'),
}) {}

class ServerListArgs extends pageArgs({
  filter: nullable(ServerFilter, 'Conditions; all must hold'),
  sortBy: nullable(ServerSortField, 'Default: NAME'),
  direction: nullable(SortDirection, 'Default: ASC'),
}) {}

class FetchListArgs extends forwardArgs({
  outcome: nullable(FetchOutcome, 'Only fetches with this result'),
}) {}

const MAX_RECORDS = 25;

/** The open alarms of each server, newest first. */
const alarmsOfServer = lookupAllBy(
  async (names: readonly string[], { services: { database } }: GraphqlContext) => {
    const events = await findEvents(database, await findAlarms(database, names));
    return events.toSorted((a, b) => b.seq - a.seq);
  },
  ({ serverName }) => [serverName],
);

@Resolver(() => RemoteServer)
export class ServerResolver {
  @ArgsQuery(ServerListArgs, RemoteServerConnection, 'Servers whose keys were requested')
  servers({ filter, ...args }: ServerListArgs, context: GraphqlContext) {
    const { database, keys, clock } = context.services;
    const wanted = { ...args, filter: filter ?? {}, whitelist: keys.whitelist.names, nowTs: clock.now() };
    return connectionTo({ list: serverList(database), wanted, args }, context, toRemoteServer);
  }

  @NullableQuery(
    { name: field(String, 'Server name') },
    RemoteServer,
    'One server; null if its keys were never requested',
  )
  server({ name }: { name: string }, { loaders }: GraphqlContext) {
    if (parseServerName(name) === null) throw badUserInput('name is not a server name');
    return loaders.of(serverByName).load(name);
  }

  @Detail([KeyRecord], 'Keys by key ID, each with the newest record that lists it; at most 25')
  async records({ name }: RemoteServer, { services }: GraphqlContext): Promise<KeyRecord[]> {
    const entries = await findKeyEntries(services.database, name, MAX_RECORDS);
    return entries.map((entry) => toKeyRecord(entry, services.clock.now()));
  }

  @Detail(KeyFetch, 'Latest fetch; null without one', { nullable: true })
  lastFetch({ name }: RemoteServer, { loaders }: GraphqlContext): Promise<KeyFetch | null> {
    return loaders.of(latestFetchOf).load(name);
  }

  @Detail([KeyEvent], 'Alarms that are not acknowledged, newest first')
  async alarms({ name, needsLook }: RemoteServer, { loaders }: GraphqlContext): Promise<KeyEvent[]> {
    return needsLook ? ((await loaders.of(alarmsOfServer).load(name)) ?? []).map(toKeyEvent) : [];
  }

  @Detail(KeyFetchConnection, 'Fetches, newest first', { given: FetchListArgs })
  fetches(
    { name: serverName }: RemoteServer,
    context: GraphqlContext,
    { outcome = null, ...args }: FetchListArgs,
  ) {
    const list = fetchList(context.services.database);
    return connectionTo({ list, wanted: { serverName, outcome }, args }, context, toKeyFetch);
  }

  @Detail(KeyEventConnection, 'Key changes, newest first', { given: ForwardArgs })
  events({ name }: RemoteServer, context: GraphqlContext, args: ForwardArgs) {
    const list = eventList(context.services.database);
    return connectionTo({ list, wanted: { server: name }, args }, context, toKeyEvent);
  }

  @Detail(RecordBandConnection, 'Its newest records over time, newest first', { given: ForwardArgs })
  history({ name }: RemoteServer, context: GraphqlContext, args: ForwardArgs) {
    return connectionTo(
      { list: bandList(context.services.database), wanted: name, args },
      context,
      toRecordBand,
    );
  }

  @Detail([Acknowledgement], 'Acknowledgements of its alarms, oldest first')
  async acknowledgements({ name }: RemoteServer, { services }: GraphqlContext): Promise<Acknowledgement[]> {
    return (await findAcknowledgements(services.database, [name])).map(withDates);
  }
}

import { Arg, Ctx, InputType, Query, Resolver } from 'type-graphql';

import { textOf } from '../../core/base/text/strings.js';
import { parseServerName } from '../../core/notary/federation/server-name.js';
import { ALL_EVENTS, findEvents } from '../../core/operators/keys/key-events.js';
import { findAcknowledgements, findAlarms } from '../../core/operators/keys/key-alarms.js';
import { findKeyEntries } from '../../core/operators/keys/key-records.js';
import type { ServerListing } from '../../core/operators/keys/servers.js';
import { connectionTo, type Connection, ForwardArgs, forwardArgs, pageArgs } from '../common/connection.js';
import { withDates } from '../common/dates.js';
import { SortDirection } from '../common/enums.js';
import { inputFields, nullable } from '../common/fields.js';
import { badUserInput } from '../common/graphql-errors.js';
import type { BatchLookup, GraphqlContext } from '../context.js';
import { FailureCause, FetchOutcome, KeyState, ServerSortField } from './enums.js';
import { Acknowledgement, KeyEvent, KeyEventConnection, SERVER_PATTERN, toKeyEvent } from './key-event.js';
import { KeyFetch, KeyFetchConnection, latestFetchOf, toKeyFetch } from './key-fetch.js';
import { RecordBand, RecordBandConnection, toRecordBand } from './key-history.js';
import { KeyRecord, toKeyRecord } from './key-record.js';
import { RemoteServer, RemoteServerConnection, serverByName, toRemoteServer } from './server.type.js';
import { ArgsQuery, Detail } from '../common/operations.js';

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
const alarmsOfServer: BatchLookup<string, KeyEvent[]> = async (names, { services: { database } }) => {
  const rows = await findEvents(database, await findAlarms(database, names));
  const newestFirst = rows.toSorted((a, b) => b.seq - a.seq);
  return names.map((name) => newestFirst.filter(({ serverName }) => serverName === name).map(toKeyEvent));
};

@Resolver(() => RemoteServer)
export class ServerResolver {
  @ArgsQuery(ServerListArgs, RemoteServerConnection, 'Servers whose keys were requested')
  servers(args: ServerListArgs, context: GraphqlContext): Promise<Connection<RemoteServer>> {
    const list = context.services.keys.servers;
    return connectionTo({ list, wanted: listingOf(args, context), args }, context, toRemoteServer);
  }

  @Query(() => RemoteServer, {
    nullable: true,
    description: 'One server; null if its keys were never requested',
  })
  server(
    @Arg('name', () => String, { description: 'Server name' }) name: string,
    @Ctx() { loaders }: GraphqlContext,
  ): Promise<RemoteServer | null> {
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
    return needsLook ? ((await loaders.of(alarmsOfServer).load(name)) ?? []) : [];
  }

  @Detail(KeyFetchConnection, 'Fetches, newest first', { given: FetchListArgs })
  fetches(
    { name: serverName }: RemoteServer,
    context: GraphqlContext,
    { outcome = null, ...args }: FetchListArgs,
  ): Promise<Connection<KeyFetch>> {
    const list = context.services.keys.fetches;
    return connectionTo({ list, wanted: { serverName, outcome }, args }, context, toKeyFetch);
  }

  @Detail(KeyEventConnection, 'Key changes, newest first', { given: ForwardArgs })
  events({ name }: RemoteServer, context: GraphqlContext, args: ForwardArgs): Promise<Connection<KeyEvent>> {
    const wanted = { ...ALL_EVENTS, server: name };
    return connectionTo({ list: context.services.keys.eventFeed, wanted, args }, context, toKeyEvent);
  }

  @Detail(RecordBandConnection, 'Its newest records over time, newest first', { given: ForwardArgs })
  history(
    { name }: RemoteServer,
    context: GraphqlContext,
    args: ForwardArgs,
  ): Promise<Connection<RecordBand>> {
    return connectionTo({ list: context.services.keys.bands, wanted: name, args }, context, toRecordBand);
  }

  @Detail([Acknowledgement], 'Acknowledgements of its alarms, oldest first')
  async acknowledgements({ name }: RemoteServer, { services }: GraphqlContext): Promise<Acknowledgement[]> {
    return (await findAcknowledgements(services.database, [name])).map(withDates);
  }
}

function listingOf(
  { filter, sortBy, direction }: ServerListArgs,
  { services }: GraphqlContext,
): ServerListing {
  return {
    filter: {
      search: textOf(filter?.search),
      server: textOf(filter?.server),
      state: filter?.state ?? null,
      isFailing: filter?.failing ?? null,
      cause: filter?.cause ?? null,
      needsLook: filter?.needsLook ?? null,
      isAllowed: filter?.federationAllowed ?? null,
      validUntilBeforeTs: filter?.validUntilBefore?.getTime() ?? null,
    },
    sort: { field: sortBy ?? 'name', direction: direction ?? 'asc' },
    whitelist: services.keys.whitelist.names,
    nowTs: services.clock.now(),
  };
}

import { Arg, Args, ArgsType, Ctx, FieldResolver, InputType, Query, Resolver, Root } from 'type-graphql';

import { textOf } from '../../core/base/text/strings.js';
import { parseServerName } from '../../core/notary/federation/server-name.js';
import { ALL_EVENTS, findEvents } from '../../core/operators/keys/key-events.js';
import { findAcknowledgements, findAlarms } from '../../core/operators/keys/key-alarms.js';
import { findKeyEntries } from '../../core/operators/keys/key-records.js';
import type { ServerListing } from '../../core/operators/keys/servers.js';
import { connectionTo, type Connection } from '../common/connection.js';
import { withDates } from '../common/dates.js';
import { SortDirection } from '../common/enums.js';
import { inputFields, nullable } from '../common/fields.js';
import { badUserInput } from '../common/graphql-errors.js';
import { ForwardArgs, forwardArgs, pageArgs, pageRequest } from '../common/page-args.js';
import type { BatchLookup, GraphqlContext } from '../context.js';
import { FailureCause, FetchOutcome, KeyState, ServerSortField } from './enums.js';
import { Acknowledgement, KeyEvent, KeyEventConnection, SERVER_PATTERN, toKeyEvent } from './key-event.js';
import { KeyFetch, KeyFetchConnection, latestFetchOf, toKeyFetch } from './key-fetch.js';
import { RecordBand, RecordBandConnection, toRecordBand } from './key-history.js';
import { KeyRecord, toKeyRecord } from './key-record.js';
import { RemoteServer, RemoteServerConnection, serverByName, toRemoteServer } from './server.type.js';

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

@ArgsType()
class ServerListArgs extends pageArgs({
  filter: nullable(ServerFilter, 'Conditions; all must hold'),
  sortBy: nullable(ServerSortField, 'Default: NAME'),
  direction: nullable(SortDirection, 'Default: ASC'),
}) {}

@ArgsType()
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
  @Query(() => RemoteServerConnection, { description: 'Servers whose keys were requested' })
  async servers(
    @Args(() => ServerListArgs) args: ServerListArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<RemoteServer>> {
    const { services, signal } = context;
    const asked = { wanted: listingOf(args, context), request: pageRequest(args), signal };
    return connectionTo(services.keys.servers, asked, (row) => toRemoteServer(row, context));
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

  @FieldResolver(() => [KeyRecord], {
    description: 'Keys by key ID, each with the newest record that lists it; at most 25',
  })
  async records(
    @Root() { name }: RemoteServer,
    @Ctx() { services: { database, clock } }: GraphqlContext,
  ): Promise<KeyRecord[]> {
    const entries = await findKeyEntries(database, name, MAX_RECORDS);
    return entries.map((entry) => toKeyRecord(entry, clock.now()));
  }

  @FieldResolver(() => KeyFetch, { nullable: true, description: 'Latest fetch; null without one' })
  lastFetch(@Root() { name }: RemoteServer, @Ctx() { loaders }: GraphqlContext): Promise<KeyFetch | null> {
    return loaders.of(latestFetchOf).load(name);
  }

  @FieldResolver(() => [KeyEvent], { description: 'Alarms that are not acknowledged, newest first' })
  async alarms(
    @Root() { name, needsLook }: RemoteServer,
    @Ctx() { loaders }: GraphqlContext,
  ): Promise<KeyEvent[]> {
    return needsLook ? ((await loaders.of(alarmsOfServer).load(name)) ?? []) : [];
  }

  @FieldResolver(() => KeyFetchConnection, { description: 'Fetches, newest first' })
  async fetches(
    @Root() { name }: RemoteServer,
    @Args(() => FetchListArgs) { outcome = null, ...args }: FetchListArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<KeyFetch>> {
    const { services, signal } = context;
    const asked = { wanted: { serverName: name, outcome }, request: pageRequest(args), signal };
    return connectionTo(services.keys.fetches, asked, toKeyFetch);
  }

  @FieldResolver(() => KeyEventConnection, { description: 'Key changes, newest first' })
  async events(
    @Root() { name }: RemoteServer,
    @Args(() => ForwardArgs) args: ForwardArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<KeyEvent>> {
    const { services, signal } = context;
    const wanted = { ...ALL_EVENTS, server: name };
    return connectionTo(services.keys.eventFeed, { wanted, request: pageRequest(args), signal }, toKeyEvent);
  }

  @FieldResolver(() => RecordBandConnection, { description: 'Its newest records over time, newest first' })
  async history(
    @Root() { name }: RemoteServer,
    @Args(() => ForwardArgs) args: ForwardArgs,
    @Ctx() { services, signal }: GraphqlContext,
  ): Promise<Connection<RecordBand>> {
    const asked = { wanted: name, request: pageRequest(args), signal };
    return connectionTo(services.keys.bands, asked, toRecordBand);
  }

  @FieldResolver(() => [Acknowledgement], { description: 'Acknowledgements of its alarms, oldest first' })
  async acknowledgements(
    @Root() { name }: RemoteServer,
    @Ctx() { services }: GraphqlContext,
  ): Promise<Acknowledgement[]> {
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

import { ArgsType, Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';

import type { FetchFilter } from '../../core/operators/keys/fetch-history.js';
import { createKeyList } from '../../core/operators/keys/key-entries.js';
import { connectionTo, toConnection, type Connection } from '../common/connection.js';
import { countOfList, pageOfList } from '../common/first-pages.js';
import { ForwardArgs, PageArgs, forwardArgs, pageRequest } from '../common/page-args.js';
import type { GraphqlContext } from '../context.js';
import {
  eventsOfServer,
  fetchesOfServer,
  firstEvents,
  firstFetches,
  firstKeys,
  keysOfServer,
} from './first-pages.js';
import { KeyEvent, KeyEventConnection, toKeyEvent } from './key-event.type.js';
import { KeyFetch, KeyFetchConnection, toKeyFetch } from './key-fetch.type.js';
import { alarmsOfServer, latestFetchOf, serverByName } from './key-lookups.js';
import { KeyRecordConnection, toKeyRecord, type KeyRecord } from './key-record.type.js';
import { FetchOutcome } from './keys.enums.js';
import { RemoteServer, RemoteServerConnection, toRemoteServer } from './remote-server.type.js';
import { toServerListing, ServerListArgs } from './server-list.input.js';
import { nullable } from '../common/fields.js';

const FETCHES_AT_ONCE = 10;
const EVENTS_AT_ONCE = 20;

@ArgsType()
class FetchListArgs extends forwardArgs({
  outcome: nullable(FetchOutcome),
}) {}

/** Servers whose keys are stored or were asked for. */
@Resolver(() => RemoteServer)
export class RemoteServerResolver {
  @Query(() => RemoteServerConnection)
  async servers(
    @Args(() => ServerListArgs) { filter = null, sort = null, ...args }: ServerListArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<RemoteServer>> {
    const { services, signal } = context;
    const asked = { wanted: toServerListing(filter, sort, context), request: pageRequest(args), signal };
    return connectionTo(services.keys.servers, asked, (row) => toRemoteServer(row, context));
  }

  @Query(() => RemoteServer, { nullable: true })
  server(
    @Arg('name', () => String) name: string,
    @Ctx() { loaders }: GraphqlContext,
  ): Promise<RemoteServer | null> {
    return loaders.of(serverByName).load(name);
  }

  @FieldResolver(() => KeyRecordConnection)
  async records(
    @Root() { name }: RemoteServer,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<KeyRecord>> {
    const { database, clock } = context.services;
    const nowTs = clock.now();
    const request = pageRequest(args);
    const other = () => createKeyList(database, name).page(null, request);
    const page = await pageOfList(name, request, { first: firstKeys, other, context });
    return toConnection(page, (entry) => toKeyRecord(entry, nowTs), countOfList(keysOfServer, name, context));
  }

  @FieldResolver(() => KeyFetch, { nullable: true })
  lastFetch(@Root() { name }: RemoteServer, @Ctx() { loaders }: GraphqlContext): Promise<KeyFetch | null> {
    return loaders.of(latestFetchOf).load(name);
  }

  @FieldResolver(() => [KeyEvent], {
    description: 'Replaced keys that nobody has acknowledged, newest first',
  })
  async alarms(
    @Root() { name, needsLook }: RemoteServer,
    @Ctx() { loaders }: GraphqlContext,
  ): Promise<KeyEvent[]> {
    return needsLook ? ((await loaders.of(alarmsOfServer).load(name)) ?? []) : [];
  }

  @FieldResolver(() => KeyFetchConnection, {
    description: 'Attempts at this server, newest first. A fetch that the whitelist forbids leaves none',
  })
  async fetches(
    @Root() { name }: RemoteServer,
    @Args(() => FetchListArgs) { outcome = null, ...args }: FetchListArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<KeyFetch>> {
    const request = pageRequest(args, FETCHES_AT_ONCE);
    const filter: FetchFilter = { serverName: name, outcome };
    const scan = { signal: context.signal };
    const other = () => context.services.keys.fetches.page(filter, request, scan);
    const page = await pageOfList(filter, request, { first: firstFetches, other, context });
    return toConnection(page, toKeyFetch, countOfList(fetchesOfServer, filter, context));
  }

  @FieldResolver(() => KeyEventConnection, {
    description: 'What happened to the keys, newest first',
  })
  async events(
    @Root() { name }: RemoteServer,
    @Args(() => ForwardArgs) args: ForwardArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<KeyEvent>> {
    const request = pageRequest(args, EVENTS_AT_ONCE);
    const other = () => context.services.keys.events.page(name, request);
    const page = await pageOfList(name, request, { first: firstEvents, other, context });
    return toConnection(page, toKeyEvent, countOfList(eventsOfServer, name, context));
  }
}

import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';

import { createKeyList } from '../../core/key-admin/key-entries.js';
import { toConnection } from '../common/connection.js';
import type { Connection } from '../common/connection.js';
import { ForwardArgs, PageArgs, pageRequest } from '../common/page-args.js';
import type { GraphqlContext } from '../context.js';
import { KeyEventConnection, toKeyEvent } from './key-event.type.js';
import type { KeyEvent } from './key-event.type.js';
import { KeyFetch, KeyFetchConnection, toKeyFetch } from './key-fetch.type.js';
import { latestFetchOf, serverByName } from './key-lookups.js';
import { KeyRecordConnection, toKeyRecord } from './key-record.type.js';
import type { KeyRecord } from './key-record.type.js';
import { RemoteServer, RemoteServerConnection, toRemoteServer } from './remote-server.type.js';
import { ServerFilter, ServerSort, toServerListing } from './server-list.input.js';

const FETCHES_AT_ONCE = 10;
const EVENTS_AT_ONCE = 20;

/** Servers whose keys are stored or were asked for. */
@Resolver(() => RemoteServer)
export class RemoteServerResolver {
  @Query(() => RemoteServerConnection)
  async servers(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('filter', () => ServerFilter, { nullable: true }) filter: ServerFilter | null,
    @Arg('sort', () => ServerSort, { nullable: true }) sort: ServerSort | null,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<RemoteServer>> {
    const { keys } = context.services;
    const listing = toServerListing(filter, sort, context);
    const scan = { signal: context.signal };
    const page = await keys.servers.page(listing, pageRequest(args), scan);
    return toConnection(
      page,
      (row) => toRemoteServer(row, context),
      () => keys.servers.count(listing, scan),
    );
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
    @Ctx() { services }: GraphqlContext,
  ): Promise<Connection<KeyRecord>> {
    const list = createKeyList(services.database, name);
    const nowTs = services.clock.now();
    const page = await list.page(null, pageRequest(args));
    return toConnection(
      page,
      (entry) => toKeyRecord(entry, nowTs),
      () => list.count(null),
    );
  }

  @FieldResolver(() => KeyFetch, { nullable: true })
  lastFetch(@Root() { name }: RemoteServer, @Ctx() { loaders }: GraphqlContext): Promise<KeyFetch | null> {
    return loaders.of(latestFetchOf).load(name);
  }

  @FieldResolver(() => KeyFetchConnection)
  async fetches(
    @Root() { name }: RemoteServer,
    @Args(() => ForwardArgs) args: ForwardArgs,
    @Ctx() { services }: GraphqlContext,
  ): Promise<Connection<KeyFetch>> {
    const { fetches } = services.keys;
    const page = await fetches.page(name, pageRequest(args, FETCHES_AT_ONCE));
    return toConnection(page, toKeyFetch, () => fetches.count(name));
  }

  @FieldResolver(() => KeyEventConnection, {
    description: 'What happened to the keys, newest first',
  })
  async events(
    @Root() { name }: RemoteServer,
    @Args(() => ForwardArgs) args: ForwardArgs,
    @Ctx() { services }: GraphqlContext,
  ): Promise<Connection<KeyEvent>> {
    const { events } = services.keys;
    const page = await events.page(name, pageRequest(args, EVENTS_AT_ONCE));
    return toConnection(page, toKeyEvent, () => events.count(name));
  }
}

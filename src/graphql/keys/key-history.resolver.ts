import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';

import { connectionTo, type Connection } from '../common/connection.js';
import { pageRequest } from '../common/page-args.js';
import { TraceStep, toTraceStep } from '../common/trace-step.type.js';
import type { GraphqlContext } from '../context.js';
import { KeyEventListArgs, toEventFilter } from './event-list.input.js';
import { KeyEvent, KeyEventConnection, toKeyEvent } from './key-event.type.js';
import { KeyFetch } from './key-fetch.type.js';
import { serverByName, stepsOfFetch } from './key-lookups.js';
import { RemoteServer, namedServer } from './remote-server.type.js';

/** What is read of a fetch only when somebody asks. */
@Resolver(() => KeyFetch)
export class KeyFetchResolver {
  @FieldResolver(() => RemoteServer)
  async server(@Root() { serverName }: KeyFetch, @Ctx() context: GraphqlContext): Promise<RemoteServer> {
    const server = await context.loaders.of(serverByName).load(serverName);
    return server ?? namedServer(serverName, context);
  }

  @FieldResolver(() => [TraceStep])
  async steps(@Root() { rowId }: KeyFetch, @Ctx() context: GraphqlContext): Promise<TraceStep[]> {
    const steps = (await context.loaders.of(stepsOfFetch).load(rowId)) ?? [];
    return steps.map((step) => toTraceStep(step, { context }));
  }
}

/** What is read of a key event only when somebody asks. */
@Resolver(() => KeyEvent)
export class KeyEventResolver {
  @Query(() => KeyEventConnection)
  async keyEvents(
    @Args(() => KeyEventListArgs) { filter = null, ...args }: KeyEventListArgs,
    @Ctx() { services, signal }: GraphqlContext,
  ): Promise<Connection<KeyEvent>> {
    const asked = { wanted: toEventFilter(filter), request: pageRequest(args), signal };
    return connectionTo(services.keys.eventFeed, asked, toKeyEvent);
  }

  @FieldResolver(() => RemoteServer)
  async server(@Root() { serverName }: KeyEvent, @Ctx() context: GraphqlContext): Promise<RemoteServer> {
    const server = await context.loaders.of(serverByName).load(serverName);
    return server ?? namedServer(serverName, context);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Proof that the log holds the record it came with, a .tlog-proof; null where there is none, or not yet',
  })
  async logProof(
    @Root() { recordId }: KeyEvent,
    @Ctx() { services }: GraphqlContext,
  ): Promise<string | null> {
    if (recordId === null) return null;
    return (await services.log?.proveRecord(recordId)) ?? null;
  }
}

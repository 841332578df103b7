import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';

import type { DeliveryFilter as CoreFilter } from '../../core/operators/oversight/delivery-list.js';
import { connectionTo, type Connection } from '../common/connection.js';
import { ForwardArgs, pageRequest } from '../common/page-args.js';
import { Requires } from '../common/requires.js';
import type { GraphqlContext } from '../context.js';
import { loadRows, type NodeLoader } from '../nodes/node-loader.js';
import { DeliveryFilter } from './oversight.input.js';
import {
  Delivery,
  DeliveryConnection,
  OversightKind,
  OversightRule,
  ServerOversight,
  Webhook,
  toDelivery,
  toOversightRule,
  toServerOversight,
  toWebhook,
} from './oversight.type.js';

/** What watches over the keys of servers, and what was sent about it. */
@Resolver()
export class OversightResolver {
  @Query(() => [OversightRule], { description: 'Those of the configuration first' })
  oversightRules(
    @Arg('kind', () => OversightKind, { nullable: true }) kind: OversightKind | null | undefined,
    @Ctx() { services }: GraphqlContext,
  ): OversightRule[] {
    const rules = services.oversight.rules.list();
    return rules.filter((rule) => (kind ?? rule.kind) === rule.kind).map(toOversightRule);
  }

  @Query(() => ServerOversight)
  async serverOversight(
    @Arg('name', () => String) name: string,
    @Ctx() { services }: GraphqlContext,
  ): Promise<ServerOversight> {
    return toServerOversight(await services.oversight.ofServer(name));
  }

  @Query(() => [Webhook])
  webhooks(@Ctx() { services }: GraphqlContext): Webhook[] {
    return services.oversight.rules.webhooks.map(toWebhook);
  }

  @Requires('operator')
  @Query(() => DeliveryConnection, { description: 'Newest first; finished ones are kept for a limited time' })
  async deliveries(
    @Args(() => ForwardArgs) page: ForwardArgs,
    @Arg('filter', () => DeliveryFilter, { nullable: true }) filter: DeliveryFilter | null | undefined,
    @Ctx() { services, signal }: GraphqlContext,
  ): Promise<Connection<Delivery>> {
    const { channel = null, state = null, destination = null, subject = null } = filter ?? {};
    const wanted: CoreFilter = { channel, state, destination, subject };
    return connectionTo(
      services.oversight.deliveries,
      { wanted, request: pageRequest(page), signal },
      toDelivery,
    );
  }
}

const deliveryById = loadRows((ids, { services }) => services.oversight.deliveries.find(ids), toDelivery);

export const DELIVERY_LOADER: NodeLoader = { typeName: 'Delivery', requires: 'operator', load: deliveryById };

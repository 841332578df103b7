import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';

import type { HitFilter as CoreHitFilter } from '../../core/operators/blocking/block-hits.js';
import { connectionTo, type Connection } from '../common/connection.js';
import { badUserInput } from '../common/graphql-errors.js';
import { keyOfNodeId } from '../nodes/node-id.js';
import { ForwardArgs, pageRequest } from '../common/page-args.js';
import { hidesQueries } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
import { MAX_URL_LENGTH } from '../limits/limits.js';
import { BlockCheck, toBlockCheck } from './block-check.type.js';
import { BlockHit, BlockHitConnection, HitFilter, toBlockHit } from './block-hit.type.js';
import { toDate } from '../common/dates.js';
import { BlockRule, RuleKind, toBlockRule } from './block-rule.type.js';
import { hitsByRule } from './block.loaders.js';

/** A rule that no hit names: a filter for it finds nothing. */
const NO_RULE = '';

/** Rules, what they refused, and what they would refuse. */
@Resolver(() => BlockRule)
export class BlockingResolver {
  @Query(() => [BlockRule])
  blockRules(
    @Arg('kind', () => RuleKind, { nullable: true }) kind: RuleKind | null | undefined,
    @Ctx() { services }: GraphqlContext,
  ): BlockRule[] {
    return services.blocking.registry.list(kind ?? null).map(toBlockRule);
  }

  @Query(() => BlockHitConnection)
  async blockHits(
    @Args(() => ForwardArgs) page: ForwardArgs,
    @Arg('filter', () => HitFilter, { nullable: true }) filter: HitFilter | null | undefined,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<BlockHit>> {
    const { services, signal } = context;
    const asked = { wanted: coreFilter(filter ?? {}, context), request: pageRequest(page), signal };
    return connectionTo(services.blocking.hits, asked, (hit) => toBlockHit(hit, context));
  }

  @Query(() => BlockCheck)
  async checkUrl(
    @Arg('url', () => String) url: string,
    @Arg('resolve', () => Boolean, { defaultValue: false }) resolve: boolean,
    @Ctx() { services }: GraphqlContext,
  ): Promise<BlockCheck> {
    if (url.length > MAX_URL_LENGTH) throw badUserInput(`url is longer than ${MAX_URL_LENGTH} characters`);
    return toBlockCheck(await services.blocking.check.check(url, { resolve }));
  }

  @FieldResolver(() => GraphQLSafeInt, { description: 'Refusals that are still kept' })
  async hits(@Root() { hitText }: BlockRule, @Ctx() { loaders }: GraphqlContext): Promise<number> {
    return hitText === null ? 0 : ((await loaders.of(hitsByRule).load(hitText))?.hits ?? 0);
  }

  @FieldResolver(() => Date, { nullable: true })
  async lastHitAt(@Root() { hitText }: BlockRule, @Ctx() { loaders }: GraphqlContext): Promise<Date | null> {
    const found = hitText === null ? null : await loaders.of(hitsByRule).load(hitText);
    return found === null ? null : toDate(found.lastTs);
  }
}

function coreFilter(filter: HitFilter, context: GraphqlContext): CoreHitFilter {
  const { kind } = filter;
  const isRefusing = kind === 'url_pattern' || kind === 'ip_deny';
  return {
    search: filter.search ?? null,
    hidesQueries: hidesQueries(context),
    byAddress: isRefusing ? kind === 'ip_deny' : null,
    rule: ruleText(filter, context.services.blocking.registry),
    stage: filter.stage ?? null,
    host: filter.host?.trim() ?? null,
    fromTs: filter.after?.getTime() ?? null,
    toTs: filter.before?.getTime() ?? null,
  };
}

/** Rules that only allow refuse nothing, and neither do rules that are gone. */
function ruleText(
  { kind, ruleId }: HitFilter,
  registry: GraphqlContext['services']['blocking']['registry'],
): string | null {
  if (kind === 'ip_allow' || kind === 'federation_allow') return NO_RULE;
  if ((ruleId ?? null) === null) return null;
  const key = keyOfNodeId('BlockRule', ruleId ?? '');
  return (key === null ? null : registry.find(key)?.hitText) ?? NO_RULE;
}

import { ID, InputType, ObjectType, Resolver } from 'type-graphql';

import { HOST_PATTERN } from '../../core/base/text/url.js';
import {
  type BlockHit as CoreBlockHit,
  hitList,
  type HitFilter as CoreHitFilter,
} from '../../core/operators/blocking/block-hits.js';
import type { HitStage as CoreHitStage } from '../../core/preview/pipeline/blacklist-hits.js';
import { connectionOf, connectionTo, forwardArgs } from '../common/connection.js';
import { withDates } from '../common/dates.js';
import { wordsEnum } from '../common/enums.js';
import { field, inputFields, nullable, keyOfNodeId, nodeFields, toNodeId } from '../common/fields.js';
import { ArgsQuery } from '../common/operations.js';
import { hidesQueries } from '../common/private-parts.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { BlockRule, RuleKind, toBlockRule } from './block-rules.js';

export const HitStage = wordsEnum<CoreHitStage>('HitStage', 'Which URL of a preview was blocked', {
  target: 'The requested URL',
  redirect: 'A redirect',
  oembed: 'The oEmbed URL',
  image: 'The image URL',
});

@ObjectType({ description: 'A blocked request' })
export class BlockHit extends nodeFields({
  at: field(Date, 'When it was blocked'),
  url: field(String, 'Blocked URL, without query string for roles that may not see it'),
  stage: field(HitStage, 'Which URL of the preview it was'),
  rule: nullable(BlockRule, 'The rule; null if it was removed'),
  ruleText: field(String, 'The rule as text'),
  address: nullable(String, 'Blocked network address; null if a URL rule blocked it'),
  requestId: field(String, 'ID of the request'),
  owner: nullable(String, 'User who requested the preview; null for roles that may not see it'),
}) {}

const BlockHitConnection = connectionOf('BlockHit', () => BlockHit);

@InputType({ description: 'Filter of blocked requests' })
class HitFilter extends inputFields({
  search: nullable(String, 'Part of the URL, the rule, the network address or the request ID'),
  kind: nullable(RuleKind, 'Blocked by a rule of this kind'),
  ruleId: nullable(ID, 'Blocked by this rule'),
  host: nullable(String, HOST_PATTERN),
  stage: nullable(HitStage, 'Which URL of the preview it was'),
  after: nullable(Date, 'Not before this time'),
  before: nullable(Date, 'Before this time'),
}) {}

class HitListArgs extends forwardArgs({
  filter: nullable(HitFilter, 'Conditions; all must hold'),
}) {}

function toBlockHit(hit: CoreBlockHit, context: GraphqlContext): BlockHit {
  const { privacy, blocking } = context.services;
  const { role } = viewerOf(context);
  const rule = blocking.registry.findByHit(hit.rule);
  return {
    ...withDates(hit),
    id: toNodeId('BlockHit', hit.id),
    url: privacy.url(role, hit.url),
    rule: rule === null ? null : toBlockRule(rule),
    ruleText: hit.rule,
    owner: privacy.owner(role, hit.userId),
  };
}

@Resolver()
export class BlockHitResolver {
  @ArgsQuery(HitListArgs, BlockHitConnection, 'Blocked requests, newest first')
  blockHits({ filter, ...args }: HitListArgs, context: GraphqlContext) {
    const asked = {
      list: hitList(context.services.database),
      wanted: coreFilter(filter ?? {}, context),
      args,
    };
    return connectionTo(asked, context, toBlockHit);
  }
}

/** A rule that no hit names: a filter for it finds nothing. */
const NO_RULE = '';

function coreFilter({ kind, ruleId, ...filter }: HitFilter, context: GraphqlContext): CoreHitFilter {
  const isRefusing = kind === 'url_pattern' || kind === 'ip_deny';
  const { registry } = context.services.blocking;
  // Rules that only allow block nothing, and neither do removed rules.
  const named = typeof ruleId === 'string' && registry.find(keyOfNodeId('BlockRule', ruleId) ?? '');
  const rule = named === false ? null : (named?.hitText ?? NO_RULE);
  return {
    ...filter,
    hidesQueries: hidesQueries(context),
    byAddress: isRefusing ? kind === 'ip_deny' : null,
    rule: kind && !isRefusing ? NO_RULE : rule,
  };
}

import { ID, InputType, ObjectType } from 'type-graphql';

import { HIT_STAGES } from '../../core/preview/pipeline/blacklist-hit-store.js';
import { wordsEnum } from '../common/enums.js';
import type { BlockHit as CoreBlockHit } from '../../core/operators/blocking/block-hits.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { BlockRule, RuleKind, toBlockRule } from './block-rule.type.js';
import { field, inputFields, nullable } from '../common/fields.js';
import { withDates } from '../common/dates.js';
import { HOST_PATTERN } from '../../core/base/text/url-host.js';

export const HitStage = wordsEnum('HitStage', HIT_STAGES);

@ObjectType({ implements: Node })
export class BlockHit extends nodeFields({
  at: Date,
  url: String,
  stage: HitStage,
  rule: nullable(BlockRule, { description: 'Null when it stands in no list any more' }),
  ruleText: field(String, { description: 'The rule as it stood in the configuration' }),
  address: nullable(String),
  requestId: String,
  owner: nullable(String),
}) {}

export const BlockHitConnection = connectionOf('BlockHit', () => BlockHit);

@InputType()
export class HitFilter extends inputFields({
  search: nullable(String),
  kind: nullable(RuleKind),
  ruleId: nullable(ID),
  host: nullable(String, { description: HOST_PATTERN }),
  stage: nullable(HitStage),
  after: nullable(Date),
  before: nullable(Date),
}) {}

/** A hit for those who ask. */
export function toBlockHit(hit: CoreBlockHit, context: GraphqlContext): BlockHit {
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

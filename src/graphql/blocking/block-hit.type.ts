import { Field, ID, InputType, ObjectType } from 'type-graphql';

import { wordsEnum } from '../common/words-enum.js';
import type { BlockHit as CoreBlockHit } from '../../core/operators/blocking/block-hits.js';
import type { HitStage as CoreHitStage } from '../../core/preview/pipeline/blacklist-hit-store.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node } from '../nodes/node.type.js';
import { viewerOf } from '../context.js';
import type { GraphqlContext } from '../context.js';
import { BlockRule, RuleKind, toBlockRule } from './block-rule.type.js';

/** Names on the wire → values inside. */
export const HitStage = wordsEnum('HitStage', ['target', 'redirect', 'oembed', 'image']);
export type HitStage = CoreHitStage;

@ObjectType({ implements: Node })
export class BlockHit extends Node {
  @Field(() => Date)
  at!: Date;

  @Field(() => String)
  url!: string;

  @Field(() => HitStage)
  stage!: HitStage;

  @Field(() => BlockRule, { nullable: true, description: 'Null when it stands in no list any more' })
  rule!: BlockRule | null;

  @Field(() => String, { description: 'The rule as it stood in the configuration' })
  ruleText!: string;

  @Field(() => String, { nullable: true })
  address!: string | null;

  @Field(() => String)
  requestId!: string;

  @Field(() => String, { nullable: true })
  owner!: string | null;
}

export const BlockHitConnection = connectionOf('BlockHit', () => BlockHit);

@InputType()
export class HitFilter {
  @Field(() => String, { nullable: true })
  search?: string | null;

  @Field(() => RuleKind, { nullable: true })
  kind?: RuleKind | null;

  @Field(() => ID, { nullable: true })
  ruleId?: string | null;

  @Field(() => HitStage, { nullable: true })
  stage?: HitStage | null;

  @Field(() => Date, { nullable: true })
  after?: Date | null;

  @Field(() => Date, { nullable: true })
  before?: Date | null;
}

/** A hit for those who ask. */
export function toBlockHit(hit: CoreBlockHit, context: GraphqlContext): BlockHit {
  const { privacy, blocking } = context.services;
  const { role } = viewerOf(context);
  const rule = blocking.registry.findByHit(hit.rule);
  return {
    id: toNodeId('BlockHit', hit.id),
    at: new Date(hit.ts),
    url: privacy.url(role, hit.url),
    stage: hit.stage,
    rule: rule === null ? null : toBlockRule(rule),
    ruleText: hit.rule,
    address: hit.address,
    requestId: hit.requestId,
    owner: privacy.owner(role, hit.userId),
  };
}

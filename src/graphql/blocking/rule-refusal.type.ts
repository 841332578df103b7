import { ObjectType } from 'type-graphql';

import type { Refusal } from '../../core/operators/previews/trial/preview-trial.js';
import { nullable, objectFields } from '../common/fields.js';
import { HitStage } from './block-hit.type.js';
import { BlockRule, toBlockRule } from './block-rule.type.js';

@ObjectType({ description: 'What a rule refused during a try' })
export class RuleRefusal extends objectFields({
  url: String,
  stage: HitStage,
  address: nullable(String),
  rule: nullable(BlockRule, { description: 'Null when it stands in no list any more' }),
}) {}

/** A refusal for those who ask; `url` as they may see it. */
export function toRuleRefusal({ stage, address, rule }: Omit<Refusal, 'url'>, url: string): RuleRefusal {
  return { url, stage, address, rule: rule === null ? null : toBlockRule(rule) };
}

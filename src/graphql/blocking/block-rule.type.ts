import { Field, Int, ObjectType } from 'type-graphql';

import { wordsEnum } from '../common/words-enum.js';
import type {
  BlockRule as CoreBlockRule,
  PatternSyntax as CorePatternSyntax,
  RuleKind as CoreRuleKind,
} from '../../core/operators/blocking/block-rule.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node } from '../nodes/node.type.js';

/** Names on the wire → values inside. */
export const RuleKind = wordsEnum('RuleKind', ['url_pattern', 'ip_deny', 'ip_allow', 'federation_allow']);
export type RuleKind = CoreRuleKind;

export const PatternSyntax = wordsEnum('PatternSyntax', ['regex', 'wildcard', 'cidr', 'name']);
export type PatternSyntax = CorePatternSyntax;

@ObjectType()
export class RulePart {
  @Field(() => String, { description: 'A component of the URL, address or server_name' })
  component!: string;

  @Field(() => String)
  pattern!: string;

  @Field(() => PatternSyntax)
  syntax!: PatternSyntax;
}

@ObjectType({ implements: Node })
export class BlockRule extends Node {
  /** How hits name it; hits are looked up by it. */
  hitText!: string | null;

  @Field(() => RuleKind)
  kind!: RuleKind;

  @Field(() => String, {
    description: 'Setting whose list it stands in; "built in" for what none can change',
  })
  setting!: string;

  @Field(() => Int, { description: 'Position in the configuration list, from 0' })
  position!: number;

  @Field(() => [RulePart])
  parts!: readonly RulePart[];

  @Field(() => String, { description: 'file:line, environment variable, or "built in"' })
  origin!: string;
}

/** A rule for operators. */
export function toBlockRule({ key, ...rule }: CoreBlockRule): BlockRule {
  return { ...rule, id: toNodeId('BlockRule', key) };
}

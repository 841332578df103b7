import { Int, ObjectType } from 'type-graphql';

import { wordsEnum } from '../common/enums.js';
import type { BlockRule as CoreBlockRule } from '../../core/operators/blocking/block-rule.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { field, objectFields } from '../common/fields.js';

/** Names on the wire → values inside. */
export const RuleKind = wordsEnum('RuleKind', ['url_pattern', 'ip_deny', 'ip_allow', 'federation_allow']);
export type RuleKind = (typeof RuleKind)[keyof typeof RuleKind];

export const PatternSyntax = wordsEnum('PatternSyntax', ['regex', 'wildcard', 'cidr', 'name']);

@ObjectType()
export class RulePart extends objectFields({
  component: field(String, { description: 'A component of the URL, address or server_name' }),
  pattern: String,
  syntax: PatternSyntax,
}) {}

@ObjectType({ implements: Node })
export class BlockRule extends nodeFields({
  kind: RuleKind,
  setting: field(String, {
    description: 'Setting whose list it stands in; "built in" for what none can change',
  }),
  position: field(Int, { description: 'Position in the configuration list, from 0' }),
  parts: [RulePart],
  origin: field(String, { description: 'file:line, environment variable, or "built in"' }),
}) {
  /** How hits name it; hits are looked up by it. */
  hitText!: string | null;
}

/** A rule for operators. */
export function toBlockRule({ key, ...rule }: CoreBlockRule): BlockRule {
  return { ...rule, id: toNodeId('BlockRule', key) };
}

import { Int, ObjectType } from 'type-graphql';

import {
  RULE_KINDS,
  ruleSource,
  type BlockRule as CoreBlockRule,
} from '../../core/operators/blocking/rule-registry.js';
import { toDate } from '../common/dates.js';
import { wordsEnum } from '../common/enums.js';
import { field, nullable, objectFields } from '../common/fields.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';

export const RuleKind = wordsEnum('RuleKind', RULE_KINDS);
export type RuleKind = (typeof RuleKind)[keyof typeof RuleKind];

@ObjectType()
export class RulePart extends objectFields({
  component: field(String, { description: 'A component of the URL, address or server_name' }),
  pattern: field(String, {
    description: 'Text with * and ?, a regular expression that begins with ^, an address range or a name',
  }),
}) {}

@ObjectType({ implements: Node })
export class BlockRule extends nodeFields({
  kind: RuleKind,
  setting: field(String, {
    description: 'The setting that lists the rule; "built in" for rules no setting can change',
  }),
  position: field(Int, { description: 'Position in the list of that setting, from 0' }),
  parts: [RulePart],
  origin: field(String, {
    description: 'file:line, environment variable, "added by" an operator, or "built in"',
  }),
  source: field(String, { description: 'Where the rule stands, in words' }),
  createdBy: nullable(String, {
    description: 'The operator who added it; null for rules of the configuration, which are changed there',
  }),
  createdAt: nullable(Date, { description: 'When an operator added it' }),
}) {
  /** How hits name it; hits are looked up by it. */
  hitText!: string | null;
}

/** A rule for operators. */
export function toBlockRule({ key, ...rule }: CoreBlockRule): BlockRule {
  return {
    ...rule,
    parts: [...rule.parts],
    id: toNodeId('BlockRule', key),
    source: ruleSource(rule),
    createdBy: rule.added?.createdBy ?? null,
    createdAt: toDate(rule.added?.createdTs ?? null),
  };
}

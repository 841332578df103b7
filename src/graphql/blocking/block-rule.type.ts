import { Int, ObjectType } from 'type-graphql';

import { RULE_LISTS, type RuleDraft } from '../../core/operators/blocking/added-rule.js';

import { wordsEnum } from '../common/enums.js';
import {
  partsOf,
  RULE_KINDS,
  ruleSource,
  type BlockRule as CoreBlockRule,
} from '../../core/operators/blocking/block-rule.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { toDate } from '../common/dates.js';
import { field, nullable, objectFields } from '../common/fields.js';

export const RuleKind = wordsEnum('RuleKind', RULE_KINDS);
export type RuleKind = (typeof RuleKind)[keyof typeof RuleKind];

export const RuleList = wordsEnum('RuleList', RULE_LISTS);
export type RuleList = (typeof RuleList)[keyof typeof RuleList];

export const RuleStanding = wordsEnum('RuleStanding', ['in_effect', 'disabled', 'internal', 'removed']);

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
  origin: field(String, {
    description: 'file:line, environment variable, "added by" an operator, or "built in"',
  }),
  source: field(String, { description: 'Where it stands, in words' }),
  standing: RuleStanding,
  revision: nullable(Int, {
    description:
      'One more with each change; null: it stands in the configuration, and only there it is changed',
  }),
  note: nullable(String, { description: 'Why an operator added it' }),
  createdBy: nullable(String, { description: 'Null: it stands in the configuration' }),
  createdAt: nullable(Date),
  changedBy: nullable(String),
  changedAt: nullable(Date),
  undoUntil: nullable(Date, { description: 'Until when the last change can be undone; null: there is none' }),
}) {
  /** How hits name it; hits are looked up by it. */
  hitText!: string | null;
}

/** A rule for operators. */
export function toBlockRule({ key, added, ...rule }: CoreBlockRule): BlockRule {
  return {
    ...rule,
    id: toNodeId('BlockRule', key),
    source: ruleSource({ ...rule, added }),
    standing: added?.standing ?? 'in_effect',
    revision: added?.revision ?? null,
    note: added?.note ?? null,
    createdBy: added?.createdBy ?? null,
    createdAt: toDate(added?.createdTs ?? null),
    changedBy: added?.changedBy ?? null,
    changedAt: toDate(added?.changedTs ?? null),
    undoUntil: toDate(added?.undoUntilTs ?? null),
  };
}

@ObjectType({ description: 'A rule that nobody has added yet' })
export class RuleSuggestion extends objectFields({
  list: RuleList,
  range: nullable(String, { description: 'Null: it is about URLs' }),
  parts: field([RulePart], { description: 'As those of a rule' }),
  problem: nullable(String, { description: 'Why it cannot be added; null: it can' }),
}) {}

/** A draft as it would stand in its list. */
export function toRuleSuggestion({ list, value }: RuleDraft, problem: string | null): RuleSuggestion {
  const isRange = typeof value === 'string';
  return { list, range: isRange ? value : null, parts: partsOf(value), problem };
}

import { ID, InputType, Int } from 'type-graphql';

import type { RuleDraft } from '../../core/operators/blocking/added-rule.js';
import { URL_COMPONENTS } from '../../core/preview/rules/url-pattern.js';
import { wordsEnum } from '../common/enums.js';
import { field, inputFields, nullable } from '../common/fields.js';
import { mutationInputFields } from '../common/mutation.js';
import { RuleList } from './block-rule.type.js';

export const UrlComponent = wordsEnum('UrlComponent', URL_COMPONENTS, 'A part of a URL');

@InputType()
export class RulePartInput extends inputFields({
  component: UrlComponent,
  pattern: field(String, { description: 'Text with * and ?, or a regular expression that begins with ^' }),
}) {}

@InputType()
export class BlockRuleInput extends inputFields({
  list: RuleList,
  range: nullable(String, { description: 'Such as 192.0.2.0/24; of lists of network addresses' }),
  parts: field([RulePartInput], {
    defaultValue: [],
    description: 'All of them have to match; of lists of URLs',
  }),
  enabled: field(Boolean, { defaultValue: true }),
  note: field(String, { defaultValue: '', description: 'Why it is there' }),
}) {}

@InputType()
export class AddBlockRuleInput extends mutationInputFields({
  rule: BlockRuleInput,
}) {}

@InputType()
export class ChangeBlockRuleInput extends mutationInputFields({
  id: ID,
  revision: field(Int, { description: 'As it was last seen; it is refused when it has been changed since' }),
  rule: BlockRuleInput,
}) {}

@InputType()
export class RemoveBlockRuleInput extends mutationInputFields({
  id: ID,
  revision: Int,
}) {}

@InputType()
export class UndoBlockRuleInput extends mutationInputFields({
  id: ID,
  revision: Int,
}) {}

@InputType()
export class TryBlockRuleInput extends mutationInputFields({
  id: nullable(ID, { description: 'The rule that would be changed or removed; null: one would be added' }),
  rule: nullable(BlockRuleInput, { description: 'What it would say; null: it would be removed' }),
}) {}

/** A rule as it was entered, not checked yet. */
export function draftOf({ list, range, parts, enabled, note }: BlockRuleInput): RuleDraft {
  const value =
    (range ?? null) === null
      ? Object.fromEntries(parts.map(({ component, pattern }) => [component, pattern.trim()]))
      : (range ?? '').trim();
  return { list, value, isEnabled: enabled, note: note.trim() };
}

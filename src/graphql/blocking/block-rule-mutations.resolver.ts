import { Int, ObjectType, Resolver } from 'type-graphql';

import { opensInternal, type AddedRule, type RuleDraft } from '../../core/operators/blocking/added-rule.js';
import type { RuleChange } from '../../core/operators/blocking/added-rules.js';
import { addedIdOf } from '../../core/operators/blocking/block-rule.js';
import { addedBlockRule } from '../../core/operators/blocking/rule-registry.js';
import { TRIED_ADDRESSES } from '../../core/operators/blocking/rule-trial.js';
import { field, nullable, objectFields } from '../common/fields.js';
import {
  InputMutation,
  payloadFields,
  payloadOf,
  userError,
  type MutationInput,
} from '../common/mutation.js';
import { Requires } from '../common/requires.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { keyOfNodeId } from '../nodes/node-id.js';
import {
  AddBlockRuleInput,
  ChangeBlockRuleInput,
  draftOf,
  RemoveBlockRuleInput,
  TryBlockRuleInput,
  UndoBlockRuleInput,
} from './block-rule.input.js';
import { BlockRule, toBlockRule } from './block-rule.type.js';

@ObjectType()
class BlockRulePayload extends payloadFields({
  rule: nullable(BlockRule, { description: 'As it is now; null when it is gone' }),
}) {}

@ObjectType({ description: 'What a change of the rules would do to some addresses' })
export class RuleTrialCount extends objectFields({
  count: Int,
  examples: field([String], { description: 'The newest of them' }),
}) {}

@ObjectType({ description: `What a change would have done to the latest ${TRIED_ADDRESSES} addresses` })
export class RuleTrial extends objectFields({
  looked: field(Int, { description: 'How many addresses it was tried on' }),
  unjudged: field(Int, {
    description: 'Of those, how many nobody can tell of: their names were not looked up',
  }),
  isCut: field(Boolean, { description: 'Whether time ran out before all were looked at' }),
  newlyRefused: RuleTrialCount,
  newlyAllowed: RuleTrialCount,
  opensInternal: field(Boolean, { description: 'Whether it allows addresses that are refused by default' }),
}) {}

@ObjectType()
export class TryBlockRulePayload extends payloadFields({
  trial: nullable(RuleTrial),
}) {}

/** Rules of operators, beside those of the configuration. */
@Resolver()
export class BlockRuleMutations {
  @Requires('operator')
  @InputMutation(
    AddBlockRuleInput,
    BlockRulePayload,
    'Adds an entry to a list, in effect at once on all instances',
  )
  async addBlockRule(input: AddBlockRuleInput, context: GraphqlContext): Promise<BlockRulePayload> {
    const draft = draftOf(input.rule);
    context.audit.about({ targetType: 'BlockRule', summary: `Added a rule to ${draft.list}` });
    const change = await context.services.blocking.added.add(draft, viewerOf(context).name);
    return told({ input, context }, change, { before: null });
  }

  @Requires('operator')
  @InputMutation(
    ChangeBlockRuleInput,
    BlockRulePayload,
    'Changes, enables or disables a rule that operators added',
  )
  async changeBlockRule(input: ChangeBlockRuleInput, context: GraphqlContext): Promise<BlockRulePayload> {
    const before = find(input.id, context);
    const draft = draftOf(input.rule);
    about(context, before, verbOf(before, draft));
    if (before === null) return payloadOf(input, [notThere()]);
    const { added } = context.services.blocking;
    const version = { id: before.id, revision: input.revision };
    return told({ input, context }, await added.change(version, draft, viewerOf(context).name), { before });
  }

  @Requires('operator')
  @InputMutation(RemoveBlockRuleInput, BlockRulePayload, 'Removes a rule that operators added')
  async removeBlockRule(input: RemoveBlockRuleInput, context: GraphqlContext): Promise<BlockRulePayload> {
    const before = find(input.id, context);
    about(context, before, 'Removed');
    if (before === null) return payloadOf(input, [notThere()]);
    const { added } = context.services.blocking;
    const change = await added.remove({ id: before.id, revision: input.revision }, viewerOf(context).name);
    return told({ input, context }, change, { before });
  }

  @Requires('operator')
  @InputMutation(
    UndoBlockRuleInput,
    BlockRulePayload,
    'Undoes the last change of a rule, within ten minutes of it',
  )
  async undoBlockRule(input: UndoBlockRuleInput, context: GraphqlContext): Promise<BlockRulePayload> {
    const before = find(input.id, context);
    about(context, before, 'Undid the last change of');
    if (before === null) return payloadOf(input, [notThere()]);
    const { added } = context.services.blocking;
    const change = await added.undo({ id: before.id, revision: input.revision }, viewerOf(context).name);
    return told({ input, context }, change, { before });
  }

  @Requires('operator')
  @InputMutation(
    TryBlockRuleInput,
    TryBlockRulePayload,
    `What a change would have done to the latest ${TRIED_ADDRESSES} addresses; it is not made`,
  )
  async tryBlockRule(input: TryBlockRuleInput, context: GraphqlContext): Promise<TryBlockRulePayload> {
    const { added, trial } = context.services.blocking;
    const hasBefore = (input.id ?? null) !== null;
    const before = hasBefore ? find(input.id ?? '', context) : null;
    const after = (input.rule ?? null) === null ? null : draftOf(input.rule ?? NOTHING);
    const list = after?.list ?? before?.list ?? 'no list';
    context.audit.about({ targetType: 'BlockRule', summary: `Tried a change of ${list}` });
    if (hasBefore && before === null) return payloadOf(input, [notThere()]);
    const problem = after === null ? null : added.problemOf(after, before?.id ?? null);
    if (problem !== null) return payloadOf(input, [userError('INVALID', problem)]);
    const { privacy } = context.services;
    const { role } = viewerOf(context);
    const found = await trial.try({ before, after }, context.signal);
    const shown = ({ count, examples }: RuleTrialCount): RuleTrialCount => ({
      count,
      examples: examples.map((url) => privacy.url(role, url)),
    });
    const sides = { newlyRefused: shown(found.newlyRefused), newlyAllowed: shown(found.newlyAllowed) };
    const isOpening = after !== null && opensInternal(after);
    return { ...payloadOf(input), trial: { ...found, ...sides, opensInternal: isOpening } };
  }
}

const NOTHING = { list: 'url_preview_url_blacklist', parts: [], enabled: true, note: '' } as const;

function find(nodeId: string, { services }: GraphqlContext): AddedRule | null {
  const key = keyOfNodeId('BlockRule', nodeId);
  const id = key === null ? null : addedIdOf(key);
  return id === null ? null : services.blocking.added.find(id);
}

function notThere() {
  return userError(
    'NOT_FOUND',
    'Operators added no such rule; what stands in the file is changed there',
    'id',
  );
}

function verbOf(before: AddedRule | null, { isEnabled }: RuleDraft): string {
  if (before === null || before.isEnabled === isEnabled) return 'Changed';
  return isEnabled ? 'Enabled' : 'Disabled';
}

function about({ audit }: GraphqlContext, rule: AddedRule | null, verb: string): void {
  const of = rule === null ? 'a rule that is not there' : `rule ${rule.id} of ${rule.list}`;
  const targetId = rule === null ? undefined : String(rule.id);
  audit.about({ targetType: 'BlockRule', targetId, summary: `${verb} ${of}` });
}

interface Call {
  input: MutationInput;
  context: GraphqlContext;
}

function told(
  { input, context }: Call,
  { rule, problem }: RuleChange,
  { before }: { before: AddedRule | null },
): BlockRulePayload {
  if (problem !== null) return payloadOf(input, [userError('INVALID', problem)]);
  const after = rule === null || rule.standing === 'removed' ? null : auditedRule(rule);
  context.audit.about({
    ...(rule === null ? {} : { targetId: String(rule.id) }),
    detail: { before: before === null ? null : auditedRule(before), after },
  });
  return { ...payloadOf(input), rule: rule === null ? null : toBlockRule(addedBlockRule(rule)) };
}

function auditedRule({ list, value, isEnabled, note }: AddedRule) {
  return { list, value, enabled: isEnabled, note };
}

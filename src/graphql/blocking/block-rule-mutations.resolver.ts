import { ID, ArgsType, Int, ObjectType, Resolver } from 'type-graphql';

import { TRIED_ADDRESSES } from '../../core/operators/blocking/pattern-trial.js';
import { field, nullable, objectFields } from '../common/fields.js';
import { ArgsMutation, mutationArgs, payloadFields, payloadOf, userError } from '../common/mutation.js';
import { Requires } from '../common/requires.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { keyOfNodeId } from '../nodes/node-id.js';
import { BlockRule, toBlockRule } from './block-rule.type.js';

const PATTERN =
  'A host (example.org), a host with its subdomains (.example.org), or a pattern of host and path with * and ?';

@ArgsType()
class AddBlockRuleArgs extends mutationArgs({
  pattern: field(String, { description: PATTERN }),
}) {}

@ArgsType()
class RemoveBlockRuleArgs extends mutationArgs({ id: ID }) {}

@ArgsType()
class TryBlockRuleArgs extends mutationArgs({
  pattern: field(String, { description: PATTERN }),
}) {}

@ObjectType()
class BlockRulePayload extends payloadFields({
  rule: nullable(BlockRule, { description: 'The rule as added or removed; null on errors' }),
}) {}

@ObjectType({ description: `What a pattern would have refused of the latest ${TRIED_ADDRESSES} previews` })
class RuleTrial extends objectFields({
  tried: field(Int, { description: 'Addresses it was tried on' }),
  refused: field(Int, { description: 'Addresses it would refuse and no rule refuses now' }),
  examples: field([String], { description: 'The newest of them' }),
}) {}

@ObjectType()
class TryBlockRulePayload extends payloadFields({ trial: nullable(RuleTrial) }) {}

/** Patterns that operators block, beside those of the configuration. */
@Resolver()
export class BlockRuleMutations {
  @Requires('operator')
  @ArgsMutation(AddBlockRuleArgs, BlockRulePayload, 'Blocks a pattern, in effect at once on all instances')
  async addBlockRule(input: AddBlockRuleArgs, context: GraphqlContext): Promise<BlockRulePayload> {
    const { audit, services } = context;
    audit.about({ targetType: 'BlockRule', summary: 'Blocked a pattern' });
    const { rule, problem } = await services.blocking.added.add(input.pattern, viewerOf(context).name);
    if (problem !== null) return payloadOf([userError('INVALID', problem, 'pattern')]);
    const { id, pattern } = rule;
    audit.about({
      targetId: String(id),
      summary: `Blocked ${pattern}`,
      detail: { before: null, after: { pattern } },
    });
    const found = services.blocking.registry.find(`added-${id}`);
    return { ...payloadOf(), rule: found === null ? null : toBlockRule(found) };
  }

  @Requires('operator')
  @ArgsMutation(RemoveBlockRuleArgs, BlockRulePayload, 'Removes a pattern that an operator blocked')
  async removeBlockRule(input: RemoveBlockRuleArgs, context: GraphqlContext): Promise<BlockRulePayload> {
    const { audit, services } = context;
    audit.about({ targetType: 'BlockRule', summary: 'Removed a pattern' });
    const { registry, added } = services.blocking;
    const found = registry.find(keyOfNodeId('BlockRule', input.id) ?? '');
    const removed =
      found?.added === undefined || found.added === null ? null : await added.remove(found.added.id);
    if (found === null || removed === null) {
      const message = 'Operators added no such rule; a rule of the configuration is changed there';
      return payloadOf([userError('NOT_FOUND', message, 'id')]);
    }
    const { id, pattern } = removed;
    audit.about({
      targetId: String(id),
      summary: `Removed ${pattern}`,
      detail: { before: { pattern }, after: null },
    });
    return { ...payloadOf(), rule: toBlockRule(found) };
  }

  @Requires('operator')
  @ArgsMutation(
    TryBlockRuleArgs,
    TryBlockRulePayload,
    'Says what a pattern would have refused; it is not added',
  )
  async tryBlockRule(input: TryBlockRuleArgs, context: GraphqlContext): Promise<TryBlockRulePayload> {
    const { audit, services, signal } = context;
    audit.about({ targetType: 'BlockRule', summary: 'Tried a pattern' });
    const { pattern, problem } = services.blocking.added.read(input.pattern);
    if (problem !== null) return payloadOf([userError('INVALID', problem, 'pattern')]);
    const { examples, ...trial } = await services.blocking.tryPattern(pattern, signal);
    const { role } = viewerOf(context);
    const shown = examples.map((url) => services.privacy.url(role, url));
    return { ...payloadOf(), trial: { ...trial, examples: shown } };
  }
}

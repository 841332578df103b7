import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';

import type { RuleDraft } from '../../core/operators/blocking/added-rule.js';
import { exceptionForAddress, exceptionForUrl } from '../../core/operators/blocking/narrowest-rule.js';
import { Requires } from '../common/requires.js';
import type { GraphqlContext } from '../context.js';
import { BlockCheck } from './block-check.type.js';
import { BlockHit } from './block-hit.type.js';
import { RuleSuggestion, toRuleSuggestion } from './block-rule.type.js';
import { RuleRefusal } from './rule-refusal.type.js';

/** The narrowest rule that would allow what was refused. */
@Resolver(() => BlockHit)
export class BlockHitSuggestionResolver {
  @Requires('operator')
  @FieldResolver(() => RuleSuggestion, { nullable: true })
  allowing(@Root() hit: BlockHit, @Ctx() context: GraphqlContext): RuleSuggestion | null {
    return suggestionFor(hit, context);
  }
}

/** The same of what was refused during a try. */
@Resolver(() => RuleRefusal)
export class RuleRefusalResolver {
  @Requires('operator')
  @FieldResolver(() => RuleSuggestion, { nullable: true })
  allowing(@Root() refusal: RuleRefusal, @Ctx() context: GraphqlContext): RuleSuggestion | null {
    return suggestionFor(refusal, context);
  }
}

/** The same of an address that would be refused. */
@Resolver(() => BlockCheck)
export class BlockCheckSuggestionResolver {
  @Requires('operator')
  @FieldResolver(() => RuleSuggestion, { nullable: true })
  allowing(@Root() check: BlockCheck, @Ctx() context: GraphqlContext): RuleSuggestion | null {
    if (!check.blocked) return null;
    const isUrlRefused = check.matches.length > 0 && check.exception === null;
    const refused = isUrlRefused ? undefined : check.addresses.find(({ allowed }) => !allowed);
    return suggestionFor({ refusedUrl: check.url, address: refused?.address ?? null }, context);
  }
}

function suggestionFor(
  { refusedUrl, address }: Pick<RuleRefusal, 'refusedUrl' | 'address'>,
  { services }: GraphqlContext,
): RuleSuggestion | null {
  const draft: RuleDraft | null =
    address === null ? exceptionForUrl(refusedUrl) : exceptionForAddress(address);
  return draft === null ? null : toRuleSuggestion(draft, services.blocking.added.problemOf(draft));
}

import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, Int, ObjectType, Resolver } from 'type-graphql';

import { TRIED_ADDRESSES } from '../../core/operators/blocking/added-rules.js';
import { hitsByRule } from '../../core/operators/blocking/block-hits.js';
import {
  type BlockRule as CoreBlockRule,
  type RuleKind as CoreRuleKind,
  ruleSource,
} from '../../core/operators/blocking/rule-registry.js';
import { toDate } from '../common/dates.js';
import { wordsEnum } from '../common/enums.js';
import { field, nullable, objectFields, keyOfNodeId, nodeFields, toNodeId } from '../common/fields.js';
import { badUserInput } from '../common/graphql-errors.js';
import {
  argsFields,
  payloadFields,
  payloadOf,
  refusal,
  ArgsQuery,
  Detail,
  OperatorMutation,
} from '../common/operations.js';
import { lookupBy, type GraphqlContext, viewerOf } from '../context.js';
import { MAX_URL_LENGTH } from '../limits/limits.js';

export const RuleKind = wordsEnum<CoreRuleKind>('RuleKind', 'What a rule does', {
  url_pattern: 'Blocks URLs',
  url_allow: 'Exception: allows URLs that another rule blocks',
  ip_deny: 'Blocks a range of network addresses',
  ip_allow: 'Exception: allows a range of network addresses',
  federation_allow: 'Allows key fetches from a server',
});

@ObjectType({ description: 'A condition of a rule; all conditions must hold' })
class RulePart extends objectFields({
  component: field(String, 'A component of the URL, address, or server_name'),
  pattern: field(String, 'A glob with * and ?, a regular expression starting with ^, a range, or a name'),
}) {}

@ObjectType({ description: 'A rule that blocks or allows something' })
export class BlockRule extends nodeFields({
  kind: field(RuleKind, 'What it does'),
  setting: field(String, 'Setting that contains it; "built in" if no setting does'),
  position: field(Int, 'Position in that setting, from 0'),
  parts: field([RulePart], 'Conditions'),
  origin: field(String, 'file:line, environment variable, "added by" an operator, or "built in"'),
  source: field(String, 'Where the rule comes from, in words'),
  createdBy: nullable(String, 'Operator who added it; null for rules of the configuration'),
  createdAt: nullable(Date, 'When an operator added it'),
}) {
  hitText!: string | null;
}

export function toBlockRule(rule: CoreBlockRule): BlockRule {
  return {
    ...rule,
    id: toNodeId('BlockRule', rule.key),
    source: ruleSource(rule),
    createdBy: rule.added?.createdBy ?? null,
    createdAt: toDate(rule.added?.createdTs ?? null),
  };
}

/** What is kept of the refusals of a rule, by the text hits name it with. */
const hitsOfRule = lookupBy(
  (_texts: readonly string[], { services }: GraphqlContext) => hitsByRule(services.database),
  ({ rule }) => rule,
  (hits) => hits,
);

const PATTERN = {
  pattern: field(
    String,
    'A host (example.org), a host with its subdomains (.example.org), or a glob of host and path',
  ),
};

@ObjectType({ description: `What a pattern would have blocked of the last ${TRIED_ADDRESSES} previews` })
class RuleTrial extends objectFields({
  tried: field(Int, 'Previews it was tried on'),
  refused: field(Int, 'Previews it would block that no rule blocks now'),
  examples: field([String], 'The newest of these URLs'),
}) {}

@ObjectType({ description: 'Result of a change or a trial of a rule' })
class BlockRulePayload extends payloadFields({
  rule: nullable(BlockRule, 'The added or removed rule; null on errors'),
  trial: nullable(RuleTrial, 'What a tried pattern would have blocked'),
}) {}

@ObjectType({ description: 'A network address of the host' })
class AddressCheck extends objectFields({
  address: field(String, 'Network address'),
  allowed: field(Boolean, 'Whether previews may connect to it'),
  rule: nullable(BlockRule, 'The range that decided; null if none contains it'),
}) {}

@ObjectType({ description: 'Whether the rules would block a URL; nothing is fetched' })
class BlockCheck extends objectFields({
  url: field(String, 'The URL'),
  blocked: field(Boolean, 'Whether a preview would be blocked'),
  message: field(String, 'The decision in one sentence'),
  matches: field([BlockRule], 'All URL rules that match; the first one blocks'),
  addresses: field([AddressCheck], 'Network addresses of the host, if they were to be resolved'),
}) {}

class CheckUrlArgs extends argsFields({
  url: field(String, 'The URL'),
  resolve: field(Boolean, 'Also resolve the host and check its addresses', false),
}) {}

/** Rules, and the patterns that operators add. */
@Resolver(() => BlockRule)
export class BlockRuleResolver {
  @ArgsQuery(
    { kind: nullable(RuleKind, 'Only rules of this kind') },
    [BlockRule],
    'All rules in the order they are evaluated',
  )
  blockRules({ kind = null }: { kind?: CoreRuleKind | null }, { services }: GraphqlContext) {
    return services.blocking.registry.list(kind).map(toBlockRule);
  }

  @Detail(GraphQLSafeInt, 'Number of blocked requests that are kept')
  async hits({ hitText }: BlockRule, { loaders }: GraphqlContext): Promise<number> {
    return hitText === null ? 0 : ((await loaders.of(hitsOfRule).load(hitText))?.hits ?? 0);
  }

  @Detail(Date, 'When it last blocked a request that is kept', { nullable: true })
  async lastHitAt({ hitText }: BlockRule, { loaders }: GraphqlContext): Promise<Date | null> {
    const found = hitText === null ? null : await loaders.of(hitsOfRule).load(hitText);
    return toDate(found?.lastTs ?? null);
  }

  @OperatorMutation(PATTERN, BlockRulePayload, 'Blocks a pattern on all instances at once')
  async addBlockRule({ pattern: typed }: { pattern: string }, context: GraphqlContext) {
    const { audit, services } = context;
    audit.about({ targetType: 'BlockRule', summary: `Block ${typed.slice(0, 100)}` });
    const { id, pattern } = await services.blocking.added.add(typed, viewerOf(context).name);
    audit.about({
      targetId: String(id),
      summary: `Block ${pattern}`,
      detail: { before: null, after: { pattern } },
    });
    const found = services.blocking.registry.find(`added-${id}`);
    return { ...payloadOf(), rule: found === null ? null : toBlockRule(found) };
  }

  @OperatorMutation(
    { id: field(ID, 'ID of a rule that an operator added') },
    BlockRulePayload,
    'Removes a pattern that an operator added',
  )
  async removeBlockRule({ id }: { id: string }, context: GraphqlContext) {
    const { audit, services } = context;
    audit.about({ targetType: 'BlockRule', summary: 'Remove a rule' });
    const { registry, added } = services.blocking;
    const found = registry.find(keyOfNodeId('BlockRule', id) ?? '');
    const addedRule = found?.added ?? null;
    const removed = addedRule === null ? null : await added.remove(addedRule.id);
    if (found === null || removed === null) {
      const message = 'No operator added this rule; rules of the configuration are changed there';
      throw refusal('NOT_FOUND', message, 'id');
    }
    const { pattern } = removed;
    audit.about({
      targetId: String(removed.id),
      summary: `Remove the rule ${pattern}`,
      detail: { before: { pattern }, after: null },
    });
    return { ...payloadOf(), rule: toBlockRule(found) };
  }

  @OperatorMutation(PATTERN, BlockRulePayload, 'Shows what a pattern would have blocked; does not add it')
  async tryBlockRule({ pattern: typed }: { pattern: string }, context: GraphqlContext) {
    const { audit, services, signal } = context;
    audit.about({ targetType: 'BlockRule', summary: `Try to block ${typed.slice(0, 100)}` });
    const pattern = services.blocking.added.read(typed);
    const { examples, ...trial } = await services.blocking.tryPattern(pattern, signal);
    const { role } = viewerOf(context);
    const shown = examples.map((url) => services.privacy.url(role, url));
    return { ...payloadOf(), trial: { ...trial, examples: shown } };
  }

  @ArgsQuery(CheckUrlArgs, BlockCheck, 'Checks a URL against the rules without fetching it')
  async checkUrl({ url, resolve }: CheckUrlArgs, { services }: GraphqlContext): Promise<BlockCheck> {
    if (url.length > MAX_URL_LENGTH) throw badUserInput(`url is longer than ${MAX_URL_LENGTH} characters`);
    const { matches, addresses, ...check } = await services.blocking.check.check(url, { resolve });
    return {
      ...check,
      matches: matches.map(toBlockRule),
      addresses: addresses.map(({ rule, ...judged }) => ({ ...judged, rule: rule && toBlockRule(rule) })),
    };
  }
}

import { Arg, Ctx, ObjectType, Query, Resolver } from 'type-graphql';

import { field, nullable, objectFields } from '../common/fields.js';
import { badUserInput } from '../common/graphql-errors.js';
import type { GraphqlContext } from '../context.js';
import { MAX_URL_LENGTH } from '../limits/limits.js';
import { BlockRule, toBlockRule } from './block-rule.js';

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
  exception: nullable(BlockRule, 'Exception that allows it nevertheless'),
  addresses: field([AddressCheck], 'Network addresses of the host, if they were to be resolved'),
}) {}

@Resolver()
export class BlockCheckResolver {
  @Query(() => BlockCheck, { description: 'Checks a URL against the rules without fetching it' })
  async checkUrl(
    @Arg('url', () => String, { description: 'The URL' }) url: string,
    @Arg('resolve', () => Boolean, {
      defaultValue: false,
      description: 'Also resolve the host and check its addresses',
    })
    resolve: boolean,
    @Ctx() { services }: GraphqlContext,
  ): Promise<BlockCheck> {
    if (url.length > MAX_URL_LENGTH) throw badUserInput(`url is longer than ${MAX_URL_LENGTH} characters`);
    const checked = await services.blocking.check.check(url, { resolve });
    const { isBlocked, matches, exception, addresses, ...check } = checked;
    return {
      ...check,
      blocked: isBlocked,
      matches: matches.map(toBlockRule),
      exception: exception && toBlockRule(exception),
      addresses: addresses.map(({ address, isAllowed, rule }) => ({
        address,
        allowed: isAllowed,
        rule: rule && toBlockRule(rule),
      })),
    };
  }
}

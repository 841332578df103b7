import { ObjectType } from 'type-graphql';

import type { CheckedUrl } from '../../core/operators/blocking/url-check.js';
import { BlockRule, toBlockRule } from './block-rule.type.js';
import { field, nullable, objectFields } from '../common/fields.js';

@ObjectType()
export class ComponentValue extends objectFields({
  name: String,
  value: nullable(String, { description: 'As written; null when the URL has none' }),
  fetchedValue: nullable(String, {
    description: 'As it will be fetched; rules are tried on both, so that no spelling evades them',
  }),
}) {}

@ObjectType()
export class AddressCheck extends objectFields({
  address: String,
  allowed: Boolean,
  rule: nullable(BlockRule, { description: 'The range that decided; null when none names it' }),
}) {}

@ObjectType({
  description: 'Dry evaluation of one address against all rules; makes no request to the target',
})
export class BlockCheck extends objectFields({
  url: String,
  blocked: Boolean,
  message: field(String, { description: 'One sentence: what decides' }),
  components: [ComponentValue],
  matches: field([BlockRule], { description: 'Every URL rule that matches; the first one refuses' }),
  exception: nullable(BlockRule, { description: 'What allows it in spite of them' }),
  addresses: [AddressCheck],
}) {}

/** A check for operators. */
export function toBlockCheck({ isBlocked, matches, exception, addresses, ...check }: CheckedUrl): BlockCheck {
  return {
    ...check,
    blocked: isBlocked,
    matches: matches.map(toBlockRule),
    exception: exception === null ? null : toBlockRule(exception),
    addresses: addresses.map(({ address, isAllowed, rule }) => ({
      address,
      allowed: isAllowed,
      rule: rule === null ? null : toBlockRule(rule),
    })),
  };
}

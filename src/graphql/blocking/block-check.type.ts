import { Field, ObjectType } from 'type-graphql';

import type { CheckedUrl } from '../../core/operators/blocking/url-check.js';
import { BlockRule, toBlockRule } from './block-rule.type.js';

@ObjectType()
export class ComponentValue {
  @Field(() => String)
  name!: string;

  @Field(() => String, { nullable: true, description: 'As written; null when the URL has none' })
  value!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'As it will be fetched; rules are tried on both, so that no spelling evades them',
  })
  fetchedValue!: string | null;
}

@ObjectType()
export class AddressCheck {
  @Field(() => String)
  address!: string;

  @Field(() => Boolean)
  allowed!: boolean;

  @Field(() => BlockRule, { nullable: true, description: 'The range that decided; null when none names it' })
  rule!: BlockRule | null;
}

@ObjectType({
  description: 'Dry evaluation of one address against all rules; makes no request to the target',
})
export class BlockCheck {
  @Field(() => String)
  url!: string;

  @Field(() => Boolean)
  blocked!: boolean;

  @Field(() => String, { description: 'One sentence: what decides' })
  message!: string;

  @Field(() => [ComponentValue])
  components!: readonly ComponentValue[];

  @Field(() => [BlockRule], { description: 'Every URL rule that matches; the first one refuses' })
  matches!: BlockRule[];

  @Field(() => [AddressCheck])
  addresses!: AddressCheck[];
}

/** A check for operators. */
export function toBlockCheck({ isBlocked, matches, addresses, ...check }: CheckedUrl): BlockCheck {
  return {
    ...check,
    blocked: isBlocked,
    matches: matches.map(toBlockRule),
    addresses: addresses.map(({ address, isAllowed, rule }) => ({
      address,
      allowed: isAllowed,
      rule: rule === null ? null : toBlockRule(rule),
    })),
  };
}

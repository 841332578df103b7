import { Ctx, Query, Resolver } from 'type-graphql';

import type { GraphqlContext } from '../context.js';
import { SigningKey, toSigningKey } from './signing-key.type.js';

@Resolver(() => SigningKey)
export class SigningKeyResolver {
  @Query(() => [SigningKey])
  async signingKeys(@Ctx() { services }: GraphqlContext): Promise<SigningKey[]> {
    return (await services.keys.signingKeys()).map(toSigningKey);
  }
}

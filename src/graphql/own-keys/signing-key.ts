import { Ctx, ObjectType, Query, Resolver } from 'type-graphql';

import type { OwnSigningKey } from '../../core/operators/own-keys/own-signing-keys.js';
import { withDates } from '../common/dates.js';
import { field, nullable } from '../common/fields.js';
import type { GraphqlContext } from '../context.js';
import { nodeFields, toNodeId } from '../common/ids.js';

@ObjectType({ description: 'A signing key of this server' })
export class SigningKey extends nodeFields({
  keyId: field(String, 'Key ID, such as ed25519:auto'),
  publicKey: field(String, 'Public key in unpadded Base64'),
  active: field(Boolean, 'Whether it signs now'),
  fingerprint: field(String, 'SHA-256 of the public key, for reading out loud'),
  firstSeenAt: field(Date, 'When it was first used'),
  retiredAt: nullable(Date, 'When it was retired; null while it signs'),
}) {}

/** One of our keys as the API shows it. */
function toSigningKey(key: OwnSigningKey): SigningKey {
  return { ...withDates(key), id: toNodeId('SigningKey', key.keyId), active: key.isActive };
}

@Resolver()
export class SigningKeyResolver {
  @Query(() => [SigningKey], { description: 'Every key this server has signed with' })
  async signingKeys(@Ctx() { services }: GraphqlContext): Promise<SigningKey[]> {
    return (await services.keys.signingKeys()).map(toSigningKey);
  }
}

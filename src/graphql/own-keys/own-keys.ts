import { Ctx, ObjectType, Query, Resolver } from 'type-graphql';

import { MINUTE_MS } from '../../core/base/clock.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { isKeyVersion } from '../../core/notary/signing/signing-key-file.js';
import {
  rotationAdvice,
  type RotationStep as CoreStep,
} from '../../core/operators/own-keys/rotation-plan.js';
import { toDate, withDates } from '../common/dates.js';
import { wordsEnum } from '../common/enums.js';
import { field, nullable, objectFields, nodeFields, toNodeId } from '../common/fields.js';
import { payloadFields, payloadOf, AdminMutation, refusal, Detail } from '../common/operations.js';
import type { GraphqlContext } from '../context.js';

@ObjectType({ description: 'A signing key of this server' })
export class SigningKey extends nodeFields({
  keyId: field(String, 'Key ID, such as ed25519:auto'),
  publicKey: field(String, 'Public key in unpadded Base64'),
  active: field(Boolean, 'Whether it signs now'),
  fingerprint: field(String, 'SHA-256 of the public key in groups of four digits, for comparison'),
  firstSeenAt: field(Date, 'When it was first used'),
  retiredAt: nullable(Date, 'When it was retired; null while it signs'),
}) {}

/** An instance that was silent for longer has ended. */
const ALIVE_MS = 5 * MINUTE_MS;

const RotationStep = wordsEnum<CoreStep>('RotationStep', 'Steps of a key rotation, in order', {
  make: 'Create the new key',
  publish: 'Publish it beside the old one',
  wait: 'Wait for peers to pick it up',
  retire: 'Remove the old key from the file',
  drop: 'Publish the old key as retired',
  forget: 'Wait until peers drop the old key',
});

@ObjectType({ description: 'Configuration lines with which a peer trusts this notary' })
class PeerSnippet extends objectFields({
  software: field(String, 'Software of the peer'),
  language: field(String, 'Format of the lines, such as yaml'),
  text: field(String, 'The lines'),
}) {}

@ObjectType({ description: 'Progress of the rotation of our signing key' })
class KeyRotation extends objectFields({
  oldKeyId: nullable(String, 'Key to be retired; null without one'),
  newKeyId: nullable(String, 'Key that replaces it; null without one'),
  safeAt: nullable(Date, 'When the wait for peers is over; null at steps without one'),
  obstacle: nullable(String, 'Why the key cannot be rotated from here; null if it can'),
  problem: nullable(String, 'Problem with the key file; null without one'),
  step: field(RotationStep, 'The current step'),
  advice: field(String, 'What to do at this step'),
  peerSnippets: field([PeerSnippet], 'Configuration lines for peers, with every key to trust'),
  oldSigningKeys: nullable(String, 'Configuration lines for old_signing_keys; null if none are needed'),
}) {}

@ObjectType({ description: 'The rotation after a change' })
class KeyRotationPayload extends payloadFields({}) {}

/** Rotation of our signing key, with the same steps as the command. */
@Resolver(() => KeyRotationPayload)
export class OwnKeysResolver {
  @Query(() => [SigningKey], { description: 'Every key this server has signed with' })
  async signingKeys(@Ctx() { services }: GraphqlContext): Promise<SigningKey[]> {
    const keys = await services.keys.signingKeys();
    return keys.map((key) => ({ ...withDates(key), id: toNodeId('SigningKey', key.keyId) }));
  }

  @Query(() => KeyRotation, { description: 'Progress of the rotation of our signing key' })
  async keyRotation(@Ctx() { services }: GraphqlContext): Promise<KeyRotation> {
    const view = await services.keys.rotation.view();
    const { oldKey, newKey, safeTs, ...rest } = view;
    return {
      ...rest,
      oldKeyId: oldKey?.keyId ?? null,
      newKeyId: newKey?.keyId ?? null,
      safeAt: toDate(safeTs),
      advice: rotationAdvice(view),
    };
  }

  @Detail(KeyRotation, 'Progress of the rotation')
  rotation(_: KeyRotationPayload, context: GraphqlContext): Promise<KeyRotation> {
    return this.keyRotation(context);
  }

  @AdminMutation(
    { version: nullable(String, 'The part of the key ID after "ed25519:"; random by default') },
    KeyRotationPayload,
    'Adds a new signing key to the key file; the next restart publishes it',
  )
  async beginKeyRotation({ version = null }: { version?: string | null }, context: GraphqlContext) {
    context.audit.about({ targetType: 'SigningKey', summary: 'Add a signing key to the key file' });
    if (version !== null && !isKeyVersion(version))
      throw refusal('INVALID', 'A version has at most 64 letters, digits and underscores', 'version');
    return changeFile(context, async ({ rotation }) => {
      const { keyId, publicKeyBase64: publicKey } = await rotation.begin(version ?? undefined);
      return { keyId, summary: `Add the signing key ${keyId} to the key file`, detail: { publicKey } };
    });
  }

  @AdminMutation(
    { keyId: field(String, 'The old key, to confirm') },
    KeyRotationPayload,
    'Removes the old signing key from the key file',
  )
  async retireSigningKey({ keyId }: { keyId: string }, context: GraphqlContext) {
    context.audit.about({ targetType: 'SigningKey', summary: 'Remove a signing key from the key file' });
    return changeFile(context, async ({ rotation }) => {
      const { oldKey } = await rotation.view();
      if (oldKey?.keyId !== keyId) throw refusal('CONFLICT', 'Another key must be retired now');
      const { keptPath } = await rotation.retire();
      return { keyId, summary: `Remove the signing key ${keyId} from the key file`, detail: { keptPath } };
    });
  }
}

interface Changed {
  keyId: string;
  summary: string;
  detail: Record<string, string>;
}

/** With several instances, changing the key file of this machine is not enough. */
async function changeFile(
  { services, audit }: GraphqlContext,
  work: (keys: GraphqlContext['services']['keys']) => Promise<Changed>,
): Promise<KeyRotationPayload> {
  const nowTs = services.clock.now();
  const instances = await services.overview.instances.list();
  if (instances.filter(({ lastSeenTs }) => nowTs - lastSeenTs < ALIVE_MS).length > 1)
    throw refusal('CONFLICT', 'Several instances run, each with its own key file');
  const { keyId, summary, detail } = await work(services.keys).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    throw refusal(error.status === 409 ? 'CONFLICT' : 'STORE_FAILED', error.message);
  });
  audit.about({ targetId: keyId, summary, detail });
  return payloadOf();
}

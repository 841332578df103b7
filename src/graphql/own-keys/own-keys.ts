import { Ctx, ObjectType, Query, Resolver } from 'type-graphql';

import { MINUTE_MS } from '../../core/base/clock.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { isKeyVersion } from '../../core/notary/signing/signing-key-file.js';
import type { RotationView } from '../../core/operators/own-keys/key-rotation.js';
import type { OwnSigningKey } from '../../core/operators/own-keys/own-signing-keys.js';
import {
  rotationAdvice,
  type RotationStep as CoreStep,
} from '../../core/operators/own-keys/rotation-plan.js';
import { toDate, withDates } from '../common/dates.js';
import { wordsEnum } from '../common/enums.js';
import { field, nullable, objectFields, nodeFields, toNodeId } from '../common/fields.js';
import {
  ArgsMutation,
  argsFields,
  payloadFields,
  userError,
  type UserError,
  Requires,
  payloadOf,
} from '../common/operations.js';
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

class BeginKeyRotationArgs extends argsFields({
  version: nullable(String, 'The part of the key ID after "ed25519:"; random by default'),
}) {}

class RetireSigningKeyArgs extends argsFields({
  keyId: field(String, 'The old key, to confirm'),
}) {}

@ObjectType({ description: 'The rotation after a change' })
class KeyRotationPayload extends payloadFields({
  rotation: field(KeyRotation, 'Progress of the rotation'),
}) {}

/** Rotation of our signing key, with the same steps as the command. */
@Resolver()
export class KeyRotationResolver {
  @Query(() => KeyRotation, { description: 'Progress of the rotation of our signing key' })
  async keyRotation(@Ctx() { services }: GraphqlContext): Promise<KeyRotation> {
    return toKeyRotation(await services.keys.rotation.view());
  }

  @Requires('admin')
  @ArgsMutation(
    BeginKeyRotationArgs,
    KeyRotationPayload,
    'Adds a new signing key to the key file; the next restart publishes it',
  )
  async beginKeyRotation(
    { version = null }: BeginKeyRotationArgs,
    context: GraphqlContext,
  ): Promise<KeyRotationPayload> {
    context.audit.about({ targetType: 'SigningKey', summary: 'Add a signing key to the key file' });
    if (version !== null && !isKeyVersion(version)) {
      const message = 'A version has at most 64 letters, digits and underscores';
      return answer(userError('INVALID', message, 'version'), context);
    }
    return changeFile(context, async ({ rotation }) => {
      const { keyId, publicKeyBase64: publicKey } = await rotation.begin(version ?? undefined);
      return { keyId, summary: `Add the signing key ${keyId} to the key file`, detail: { publicKey } };
    });
  }

  @Requires('admin')
  @ArgsMutation(RetireSigningKeyArgs, KeyRotationPayload, 'Removes the old signing key from the key file')
  async retireSigningKey(
    { keyId }: RetireSigningKeyArgs,
    context: GraphqlContext,
  ): Promise<KeyRotationPayload> {
    context.audit.about({ targetType: 'SigningKey', summary: 'Remove a signing key from the key file' });
    return changeFile(context, async ({ rotation }) => {
      const { oldKey } = await rotation.view();
      if (oldKey?.keyId !== keyId)
        throw new ApiError(409, 'Another key must be retired now', { reason: 'rotation_refused' });
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
  context: GraphqlContext,
  work: (keys: GraphqlContext['services']['keys']) => Promise<Changed>,
): Promise<KeyRotationPayload> {
  const { services, audit } = context;
  const nowTs = services.clock.now();
  const alive = (await services.overview.instances()).filter((one) => nowTs - one.lastSeenTs < ALIVE_MS);
  if (alive.length > 1)
    return answer(userError('CONFLICT', 'Several instances run, each with its own key file'), context);
  try {
    const { keyId, summary, detail } = await work(services.keys);
    audit.about({ targetId: keyId, summary, detail });
    return await answer(null, context);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return answer(userError(error.status === 409 ? 'CONFLICT' : 'STORE_FAILED', error.message), context);
  }
}

async function answer(error: UserError | null, { services }: GraphqlContext): Promise<KeyRotationPayload> {
  const rotation = toKeyRotation(await services.keys.rotation.view());
  return { ...payloadOf(error === null ? [] : [error]), rotation };
}

function toKeyRotation(view: RotationView): KeyRotation {
  const { oldKey, newKey, safeTs, ...rest } = view;
  return {
    ...rest,
    oldKeyId: oldKey?.keyId ?? null,
    newKeyId: newKey?.keyId ?? null,
    safeAt: toDate(safeTs),
    advice: rotationAdvice(view),
  };
}

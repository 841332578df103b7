import { Ctx, Query, Resolver } from 'type-graphql';

import { ApiError } from '../../core/base/errors/api-error.js';
import { MINUTE_MS } from '../../core/base/clock.js';
import { isKeyVersion } from '../../core/notary/signing/signing-key-text.js';
import { ArgsMutation, payloadOf, userError, type UserError } from '../common/mutation.js';
import { Requires } from '../common/requires.js';
import type { GraphqlContext } from '../context.js';
import {
  BeginKeyRotationArgs,
  KeyRotation,
  KeyRotationPayload,
  RetireSigningKeyArgs,
  toKeyRotation,
} from './key-rotation.type.js';

/** An instance that was silent for longer has ended. */
const ALIVE_MS = 5 * MINUTE_MS;

/** Replacing our signing key, the same steps as those of the command. */
@Resolver(() => KeyRotation)
export class KeyRotationResolver {
  @Query(() => KeyRotation)
  async keyRotation(@Ctx() { services }: GraphqlContext): Promise<KeyRotation> {
    return toKeyRotation(await services.keys.rotation.view());
  }

  @Requires('admin')
  @ArgsMutation(BeginKeyRotationArgs, KeyRotationPayload)
  async beginKeyRotation(input: BeginKeyRotationArgs, context: GraphqlContext): Promise<KeyRotationPayload> {
    const { rotation } = context.services.keys;
    const { version } = input;
    const error =
      typeof version === 'string' && !isKeyVersion(version)
        ? userError('INVALID', 'A version has letters, digits and _ only, at most 64', 'version')
        : await changeFile(context, async () => {
            const { keyId, publicKeyBase64: publicKey } = await rotation.begin(version ?? undefined);
            return {
              keyId,
              summary: `Added the signing key ${keyId} to the key file`,
              detail: { publicKey },
            };
          });
    return answer(error, context);
  }

  @Requires('admin')
  @ArgsMutation(RetireSigningKeyArgs, KeyRotationPayload)
  async retireSigningKey(input: RetireSigningKeyArgs, context: GraphqlContext): Promise<KeyRotationPayload> {
    const { rotation } = context.services.keys;
    const error = await changeFile(context, async () => {
      const { oldKey } = await rotation.view();
      if (oldKey?.keyId !== input.keyId)
        throw new ApiError(409, 'Another key is to go by now', { reason: 'rotation_refused' });
      const { keyId, keptPath } = await rotation.retire(false);
      return { keyId, summary: `Took the signing key ${keyId} out of the key file`, detail: { keptPath } };
    });
    return answer(error, context);
  }
}

async function answer(error: UserError | null, { services }: GraphqlContext): Promise<KeyRotationPayload> {
  const rotation = toKeyRotation(await services.keys.rotation.view());
  return { ...payloadOf(error === null ? [] : [error]), rotation };
}

interface Changed {
  keyId: string;
  summary: string;
  detail: Record<string, string>;
}

/** Null when it is done. The file of this machine alone would not do where several serve. */
async function changeFile(
  { services, audit }: GraphqlContext,
  work: () => Promise<Changed>,
): Promise<UserError | null> {
  const nowTs = services.clock.now();
  const alive = (await services.overview.instances()).filter((one) => nowTs - one.lastSeenTs < ALIVE_MS);
  if (alive.length > 1)
    return userError('CONFLICT', 'Several instances run, each with a key file: use "vidimus keys rotate"');
  try {
    const { keyId, summary, detail } = await work();
    audit.about({ targetType: 'SigningKey', targetId: keyId, summary, detail });
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return userError(error.status === 409 ? 'CONFLICT' : 'STORE_FAILED', error.message);
  }
}

import { KEY_TYPES, VerifierKey } from '@vidimus/tlog';
import { z } from 'zod';

import { baseUrl } from './network-kinds.js';
import { kindOf, objectTo } from './value-kinds.js';

/** A checkpoint may have sixteen signatures, and one is the log's own. */
const MAX_WITNESSES = 15;

const KEY_FORM = 'the verifier key of a witness, NAME+ID+BASE64 (Ed25519, type 0x04)';

/** The text form of a key, checked against its ID. */
const verifierKey = z.string({ error: KEY_FORM }).transform((written, context) => {
  const key = VerifierKey.parse(written);
  if (key?.type === KEY_TYPES.cosignature) return written;
  const problem = key === null ? 'is not a verifier key, or is damaged' : `is a key of type 0x0${key.type}`;
  return objectTo(context, KEY_FORM, { problem });
});

const WITNESS_FORM = 'a map with verifier_key and url';

/** Who cosigns our log: by which key, and below which address it takes checkpoints. */
export const witnesses = () =>
  kindOf(
    z
      .array(
        z.strictObject(
          { verifier_key: verifierKey, url: baseUrl('https', 'http').schema },
          { error: WITNESS_FORM },
        ),
        { error: `a list, each entry ${WITNESS_FORM}` },
      )
      .max(MAX_WITNESSES, { error: `at most ${MAX_WITNESSES} entries` })
      .refine(areDistinct, { error: 'witnesses with different names and keys' }),
    `a list, each entry ${WITNESS_FORM}`,
  );

/** A witness that is listed twice would count twice; so would one key under two names. */
function areDistinct(all: readonly { verifier_key: string }[]): boolean {
  const parts = all.map(({ verifier_key: key }) => /^([^+]*)\+[^+]*\+(.*)$/.exec(key) ?? []);
  return [1, 2].every((part) => new Set(parts.map((found) => found[part])).size === all.length);
}

import { z } from 'zod';
import { duration, kindOf, path, size } from '../kinds/value-kinds.js';
import { group, optional, setting } from '../kinds/setting.js';
import { DEFAULT_OWN_KEY_FILE } from '../own-key-file.js';

const KEY_ID = /^ed25519:[A-Za-z0-9_]{1,64}$/;
const OLD_KEY_FORM = 'a map with key (unpadded base64 public key) and expired_ts (POSIX ms)';

/** 32 bytes in base64, padded or not; the result is unpadded. */
export const publicKey = () => {
  const form = 'an Ed25519 public key: 43 characters of base64';
  const schema = z
    .string({ error: form })
    .regex(/^[A-Za-z0-9+/]{43}=?$/, { error: form })
    .transform((key) => key.slice(0, 43));
  return kindOf(schema, form);
};

const oldKey = z.strictObject(
  {
    key: publicKey().schema,
    expired_ts: z.int({ error: 'POSIX time in ms' }).min(1, { error: 'POSIX time in ms' }),
  },
  { error: OLD_KEY_FORM },
);

const oldSigningKeys = kindOf(
  z
    .record(z.string().regex(KEY_ID, { error: 'a key ID such as ed25519:abc' }), oldKey, {
      error: 'a map from key ID to key and expired_ts',
    })
    .transform((keys) => new Map(Object.entries(keys))),
  `a map from key ID (ed25519:…) to ${OLD_KEY_FORM}`,
);

export const SIGNING_SETTINGS = {
  signing_key_path: optional(path('a signing key file, lines of "ed25519 VERSION BASE64SEED"'), {
    doc: 'File with our signing keys. Unset: created at the first start, unless a homeserver uses our name',
    example: DEFAULT_OWN_KEY_FILE,
  }),
  key_server_signing_keys_path: optional(path('a signing key file'), {
    doc: "Keys that sign answers: some of signing_key_path or, without it, the homeserver's, whose record is then fetched",
    example: './homeserver.signing.key',
  }),
  old_signing_keys: setting(oldSigningKeys, {
    default: {},
    doc: 'Keys we no longer sign with, still published so that old signatures verify',
  }),
  key_refresh_interval: setting(duration({ min: '1m', max: '1w' }), {
    default: '1d',
    doc: 'Validity of our own published key record; it is renewed at half of this time',
  }),
  keys: group('Key queries', {
    cache_size: setting(size({ min: '64K', max: '16G' }), {
      default: '64M',
      doc: 'Memory for signed records',
    }),
  }),
};

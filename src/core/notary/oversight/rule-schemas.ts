import { z } from 'zod';
import { parseUrl } from '../../base/text/parse-url.js';
import { parseServerName } from '../federation/server-name.js';

/** In place of a server name: all of them. */
export const ALL_SERVERS = '*';

const NAME_FORM = 'a server name such as example.org';
const KEYS_FORM = 'a map from key ID (ed25519:…) to public key (43 characters of base64)';
const WEBHOOK_FORM = 'a short name of lower-case letters, digits, - and _';
const MAX_KEYS = 100;
const MAX_ARGUMENTS = 100;

const serverNameSchema = z
  .string({ error: NAME_FORM })
  .refine((name) => parseServerName(name) !== null, { error: NAME_FORM });

const keysSchema = z
  .record(
    z.string().regex(/^ed25519:[A-Za-z0-9_]{1,64}$/, { error: 'a key ID such as ed25519:abc' }),
    z
      .string({ error: KEYS_FORM })
      .regex(/^[A-Za-z0-9+/]{43}=?$/, { error: KEYS_FORM })
      .transform((key) => key.slice(0, 43)),
    { error: KEYS_FORM },
  )
  .refine((keys) => Object.keys(keys).length > 0, { error: 'at least one key' })
  .refine((keys) => Object.keys(keys).length <= MAX_KEYS, { error: `at most ${MAX_KEYS} keys` });

/** Name of a webhook, by which watches mean it. */
export const webhookNameSchema = z
  .string({ error: WEBHOOK_FORM })
  .regex(/^[a-z0-9_-]{1,64}$/, { error: WEBHOOK_FORM });

/** `http` or `https`, without user name and fragment. */
export const hookUrlSchema = z
  .string({ error: 'an address such as https://example.org/hook' })
  .refine(isHookUrl, {
    error: 'an http or https address without user name, password and fragment',
  });

/** Whose key events go where. */
export const watchSchema = z.strictObject({
  server_name: z.union([z.literal(ALL_SERVERS), serverNameSchema], { error: `${NAME_FORM}, or "*" for all` }),
  webhook: webhookNameSchema.optional(),
  /** Program and arguments. */
  command: z
    .array(z.string().max(4096), { error: 'a list: the program and its arguments' })
    .min(1, { error: 'at least a program' })
    .max(MAX_ARGUMENTS)
    .optional(),
});

/** Which keys a server may list. */
export const pinSchema = z.strictObject({
  server_name: serverNameSchema,
  keys: keysSchema,
  mode: z.enum(['refuse', 'report'], { error: 'refuse or report' }).default('refuse'),
});

/** Another notary, and the keys it signs with. */
export const notarySchema = z.strictObject({
  server_name: serverNameSchema,
  url: hookUrlSchema,
  keys: keysSchema,
  allow_private: z.boolean({ error: 'true or false' }).default(false),
});

type DeepReadonly<T> = T extends object ? { readonly [P in keyof T]: DeepReadonly<T[P]> } : T;

export type Watch = DeepReadonly<z.output<typeof watchSchema>>;
export type Pin = DeepReadonly<z.output<typeof pinSchema>>;
export type OtherNotary = DeepReadonly<z.output<typeof notarySchema>>;

function isHookUrl(text: string): boolean {
  const url = text.length > 2000 ? null : parseUrl(text);
  if (url === null) return false;
  const { protocol, username, password, hash } = url;
  return ['http:', 'https:'].includes(protocol) && `${username}${password}${hash}` === '';
}

import { z } from 'zod';

import type { Credential } from '../../core/access/operators/sign-in.js';

const secret = z.string().min(1).max(4096);

/**
 * What signs an operator in: named for people who write it by hand, or as way and secret, which is what the pages send.
 */
export const CREDENTIAL = z.union([
  z.strictObject({ code: secret }).transform(({ code }): Credential => ({ way: 'code', secret: code })),
  z.strictObject({ token: secret }).transform(({ token }): Credential => ({ way: 'token', secret: token })),
  z
    .strictObject({ homeserver_token: secret })
    .transform((given): Credential => ({ way: 'homeserver', secret: given.homeserver_token })),
  z.strictObject({ way: z.enum(['code', 'token', 'homeserver']), secret }),
]);

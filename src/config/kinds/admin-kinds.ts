import { z } from 'zod';
import { isUserId } from '../../core/notary/federation/server-name.js';
import { kindOf, objectTo } from './value-kinds.js';

const ROLES = ['viewer', 'operator', 'admin'] as const;
const MAX_ACCOUNTS = 1000;

const ID_FORM = 'a user ID such as @alice:example.org';
const userIdSchema = z.string({ error: ID_FORM }).refine(isUserId, { error: ID_FORM });

/** User IDs with the role of each. */
export const accounts = () => {
  const form = `a map from user ID to one of ${ROLES.join(', ')}`;
  const roles = z.enum(ROLES, { error: `one of ${ROLES.join(', ')}` });
  return kindOf(
    z
      .record(userIdSchema, roles, { error: form })
      .refine((entries) => Object.keys(entries).length <= MAX_ACCOUNTS, {
        error: `at most ${MAX_ACCOUNTS} accounts`,
      })
      .transform((entries) => new Map(Object.entries(entries))),
    form,
  );
};

/** Paths other parts of the service answer under. */
const TAKEN = /^\/(?:_svc|_matrix|health|metrics|\.well-known)(?:\/|$)/;
const SEGMENTS = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,63}){1,8}$/;

/** The path a part of the service is served under: begins with `/`, does not end with it. */
export const basePath = () => {
  const form = 'a path such as /admin or /tools/vidimus, without a final /';
  return kindOf(
    z
      .string({ error: form })
      .regex(SEGMENTS, { error: form })
      .superRefine((value, context) => {
        if (TAKEN.test(value))
          objectTo(context, form, { problem: `is "${value}", which serves something else` });
      }),
    form,
  );
};

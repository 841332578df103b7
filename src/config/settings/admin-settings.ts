import { baseUrl } from '../kinds/network-kinds.js';
import { group, optional, setting } from '../kinds/setting.js';
import { choice, duration, text, kindOf, objectTo } from '../kinds/value-kinds.js';
import { z } from 'zod';
import { isUserId } from '../../core/notary/federation/server-name.js';

const ROLES = ['viewer', 'operator', 'admin'] as const;
const MAX_ACCOUNTS = 1000;

const ID_FORM = 'a user ID such as @alice:example.org';
const userIdSchema = z.string({ error: ID_FORM }).refine(isUserId, { error: ID_FORM });

const accounts = () => {
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
const basePath = () => {
  const form = 'a path such as /admin or /tools/vidimus, without a final /';
  return kindOf(
    z
      .string({ error: form })
      .regex(SEGMENTS, { error: form })
      .superRefine((value, context) => {
        if (TAKEN.test(value)) objectTo(context, form, `is "${value}", which serves something else`);
      }),
    form,
  );
};

export const ADMIN_SETTINGS = {
  admin: group('The pages and the API of operators, on listeners with the resource admin', {
    base_path: setting(basePath(), {
      default: '/admin',
      doc: 'Path the pages are served under, on this server and through a proxy',
    }),
    public_url: optional(baseUrl('https', 'http'), {
      doc: 'Address of the pages for browsers, without the path; required unless it is a loopback address',
      example: 'https://operators.example.org/',
    }),
    matrix_accounts: setting(accounts(), {
      default: {},
      doc: 'Homeserver accounts that may sign in, each with its role (dialect matrix)',
    }),
    audit_retention: setting(duration({ min: '30d' }), {
      default: '1y',
      doc: 'How long audit entries are kept',
    }),
    graphql: group('The GraphQL API', {
      ad_hoc: setting(choice(['operators', 'tokens', 'never', 'always']), {
        default: 'operators',
        doc: 'Who may send operations of their own: tokens and operators, only tokens, nobody, or everybody',
      }),
    }),
    environment: group('A badge on every page, to tell installations apart', {
      label: optional(text('a text of 1 to 32 characters', /^[^\p{Cc}\p{Cf}]{1,32}$/u), {
        doc: 'Badge in the header of the pages, such as Test. Unset: no badge',
        example: 'staging',
      }),
    }),
    privacy: setting(choice(['auto', 'always', 'never']), {
      default: 'auto',
      doc: 'Hide who requested previews (auto: from all but admins) and query strings and fragments (auto: from viewers)',
    }),
  }),
};

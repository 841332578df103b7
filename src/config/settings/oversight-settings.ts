import { z } from 'zod';
import {
  ALL_SERVERS,
  hookUrlSchema,
  notarySchema,
  pinSchema,
  watchSchema,
  webhookNameSchema,
} from '../../core/notary/oversight/rule-schemas.js';
import { group, setting, type Kind } from '../kinds/setting.js';
import { count, duration, kindOf } from '../kinds/value-kinds.js';

const MAX_ENTRIES = 10_000;

/** A list in which each entry has a name of its own. */
function named<S extends z.ZodType<Readonly<Record<N, string>>>, N extends string>(
  entry: S,
  { name, form }: { name: N; form: string },
): Kind<z.ZodArray<S>> {
  const schema = z
    .array(entry, { error: form })
    .max(MAX_ENTRIES, { error: `at most ${MAX_ENTRIES} entries` })
    .superRefine((entries, context) => {
      const seen = new Set<string>();
      for (const [index, { [name]: value }] of entries.entries()) {
        if (seen.has(value)) {
          const message = `${name} "${value}" stands here twice`;
          context.addIssue({
            code: 'custom',
            path: [index, name],
            message: form,
            params: { problem: message },
          });
        }
        seen.add(value);
      }
    });
  return kindOf(schema, form);
}

const WEBHOOK_FORM =
  'a list of maps with name, url, secret or secret_path, and perhaps tells and allow_private';

const webhookSchema = z
  .strictObject(
    {
      name: webhookNameSchema,
      url: hookUrlSchema,
      secret: z.string().min(16, { error: 'at least 16 characters' }).optional(),
      secret_path: z.string().min(1).optional(),
      tells: z
        .array(z.enum(['alarms', 'health'], { error: 'alarms or health' }))
        .default(['alarms', 'health']),
      allow_private: z.boolean({ error: 'true or false' }).default(false),
    },
    { error: WEBHOOK_FORM },
  )
  .refine(({ secret, secret_path }) => (secret === undefined) !== (secret_path === undefined), {
    error: 'secret or secret_path, one of both',
  });

const webhooks = {
  ...named(webhookSchema, { name: 'name', form: WEBHOOK_FORM }),
  pathMembers: ['secret_path'],
  // Not the address: many receivers are protected by nothing but a token in its path.
  shownMembers: ['name', 'secret_path', 'tells', 'allow_private'],
};

const watches = named(watchSchema, {
  name: 'server_name',
  form: `a list of maps with server_name ("${ALL_SERVERS}": all), and webhook, command or both`,
});
const pins = named(pinSchema, {
  name: 'server_name',
  form: 'a list of maps with server_name, keys (ed25519:ID to base64), and perhaps mode (refuse or report)',
});
const notaries = named(notarySchema, {
  name: 'server_name',
  form: 'a list of maps with server_name, url, keys (ed25519:ID to base64), and perhaps allow_private',
});

export const OVERSIGHT_SETTINGS = {
  watch: setting(watches, {
    default: [],
    live: true,
    doc: 'Servers whose key events go to a webhook, a command (its arguments, no shell) or both; operators add more',
  }),
  pins: setting(pins, {
    default: [],
    live: true,
    doc: 'Keys a server may list; a record with others is told and, by mode refuse (the default), not served',
  }),
  cross_check: setting(notaries, {
    default: [],
    live: true,
    doc: 'Other notaries asked about a server that appears or whose keys change; allow_private: inside our network',
  }),
  alerts: group('What is told to others: key events, alarms, health', {
    webhooks: setting(webhooks, {
      default: [],
      live: true,
      secret: true,
      doc: 'Addresses that are sent JSON, signed with a secret; tells: alarms of keys, health lines that turn red',
    }),
    max_alarms: setting(count(1, 100_000), {
      default: 1000,
      doc: 'Alarms of keys that wait to be acknowledged at most; beyond that the domain that has most gives way',
    }),
    max_alarms_per_domain: setting(count(1, 100_000), {
      default: 10,
      doc: 'The same of the servers below one registrable domain; further ones are events without an alarm',
    }),
    quiet_time: setting(duration({ max: '1d' }), {
      default: '10m',
      live: true,
      doc: 'A health line that was told is not told again for so long; then how it stands, if that is news',
    }),
    timeout: setting(duration({ min: '100ms', max: '5m' }), {
      default: '10s',
      doc: 'Time for one attempt: an answer of a webhook or notary, the end of a command',
    }),
    max_concurrent: setting(count(1, 1000), { default: 8, doc: 'Attempts at once' }),
    max_waiting: setting(count(10, 1_000_000), {
      default: 10_000,
      doc: 'What waits at most; beyond that the oldest are given up',
    }),
    first_retry: setting(duration({ min: '100ms', max: '1h' }), {
      default: '5s',
      doc: 'Pause after a failed attempt; it doubles each time',
    }),
    longest_retry: setting(duration({ min: '1s', max: '1d' }), { default: '1h', doc: 'Longest pause' }),
    give_up_after: setting(duration({ min: '1m', max: '4w' }), {
      default: '3d',
      doc: 'Age at which what could not be delivered is given up',
    }),
    cross_check_patience: setting(duration({ min: '1s', max: '1d' }), {
      default: '10m',
      doc: 'How long a notary that is silent, or does not know a key yet, is asked again',
    }),
    retention: setting(duration({ min: '1h', max: '1y' }), {
      default: '7d',
      doc: 'How long what was delivered or given up is kept for operators',
    }),
  }),
};

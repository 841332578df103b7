import { z } from 'zod';
import { choice, count, flag, kindOf, list, objectTo, path, text } from '../kinds/value-kinds.js';
import { address, baseUrl, dnsServer } from '../kinds/network-kinds.js';
import { group, optional, setting } from '../kinds/setting.js';
import { tlsProblemOf } from '../../core/base/connection-settings.js';
import { KEY_TYPES, VerifierKey } from '@vidimus/tlog';

/** A checkpoint may have sixteen signatures, and one is the log's own. */
const MAX_WITNESSES = 15;

const KEY_FORM = 'the verifier key of a witness, NAME+ID+BASE64 (Ed25519, type 0x04)';

/** The text form of a key, checked against its ID. */
const verifierKey = z.string({ error: KEY_FORM }).transform((written, context) => {
  const key = VerifierKey.parse(written);
  if (key?.type === KEY_TYPES.cosignature) return written;
  const problem = key === null ? 'is not a verifier key, or is damaged' : `is a key of type 0x0${key.type}`;
  return objectTo(context, KEY_FORM, problem);
});

const WITNESS_FORM = 'a map with verifier_key and url';

/** Who cosigns our log: by which key, and below which address it takes checkpoints. */
const witnesses = () =>
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

const TLS_FORM = 'sslmode=disable, require, verify-ca, verify-full or no-verify';
const FORM = 'postgresql://USER@HOST:PORT/DATABASE';

const databaseUrl = kindOf(
  z.string({ error: FORM }).superRefine((value, context) => {
    const isPostgres = /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);
    const problem = isPostgres ? tlsProblemOf(new URL(value)) : 'is not a PostgreSQL address';
    if (problem !== null) objectTo(context, isPostgres ? TLS_FORM : FORM, problem);
  }),
  FORM,
);

const hosts = kindOf(
  z
    .record(
      z
        .string()
        .regex(/^[A-Za-z0-9.-]{1,255}$/, { error: 'a host name' })
        .toLowerCase(),
      list(address()).schema,
      { error: 'a map from host name to a list of IP addresses' },
    )
    .transform((entries) => new Map(Object.entries(entries))),
  'a map from host name to a list of IP addresses',
);

export const OPERATION_SETTINGS = {
  database: group('Storage of everything except media and keys', {
    engine: setting(choice(['sqlite', 'postgresql']), {
      default: 'sqlite',
      doc: 'sqlite for one machine, postgresql for several',
    }),
    path: setting(path('a file'), { default: './data/vidimus.db', doc: 'The SQLite file' }),
    synchronous: setting(choice(['normal', 'full']), {
      default: 'normal',
      doc: 'SQLite: normal may lose the last moments in a power cut; full loses nothing, with slower writes',
    }),
    url: optional(databaseUrl, {
      doc: 'The PostgreSQL database; `?sslmode=require`, `verify-ca` or `verify-full` with `sslrootcert=FILE` as libpq has them',
      example: 'postgresql://vidimus@localhost:5432/vidimus',
      secret: true,
    }),
    password_path: optional(path('a file that holds only the password'), {
      doc: 'PostgreSQL password, kept out of this file; readable by the owner only',
      example: './data/database.password',
    }),
    max_connections: setting(count(1, 1000), {
      default: 10,
      doc: 'PostgreSQL connections; at most seven of them serve public requests',
    }),
  }),
  dns: group('Name resolution, for key fetches and previews', {
    servers: setting(list(dnsServer(), 16), {
      default: [],
      doc: 'DNS servers. Empty: those of the system, with its hosts file',
    }),
    hosts: setting(hosts, { default: {}, doc: 'Addresses of host names, instead of asking DNS' }),
  }),
  auth: group('Who may request previews', {
    homeserver_url: optional(baseUrl('https', 'http'), {
      doc: 'Homeserver that checks access tokens (dialect matrix), beside our own tokens',
      example: 'http://localhost:8018/',
    }),
  }),
  metrics_require_token: setting(flag(), {
    default: false,
    doc: 'Serve /metrics only with an access token of the scope metrics (vidimus token create --scope metrics)',
  }),
  log: group(
    'Log lines (JSON on standard output), and the transparency log of served records, which anyone can audit',
    {
      level: setting(choice(['trace', 'debug', 'info', 'warn', 'error', 'silent']), {
        default: 'info',
        live: true,
        doc: 'Lowest level that is written',
      }),
      requests: setting(choice(['all', 'errors', 'none']), {
        default: 'all',
        doc: 'Which requests are logged; errors: those answered with 400 or above',
      }),
      enabled: setting(flag(), {
        default: true,
        doc: 'Add each record and key change to the log, which listeners with the resource log serve',
      }),
      key_path: optional(path('a file, PRIVATE+KEY+NAME+ID+BASE64'), {
        doc: 'Key that signs the log, created at the first start. Unset: log.key beside the database or the signing key',
        example: './data/log.key',
      }),
      origin: optional(text('a host name and a path, without scheme', /^[A-Za-z0-9.:[\]_~/-]{1,255}$/), {
        doc: 'Name of the log, fixed when its key is made. Unset: host and path under which it is served',
        example: 'keys.example.org/log',
      }),
      witnesses: setting(witnesses(), {
        default: [],
        doc: 'Witnesses that receive each checkpoint; private addresses are allowed',
      }),
      witness_quorum: setting(count(1, 15), {
        default: 1,
        doc: 'Number of cosignatures that make a checkpoint witnessed',
      }),
    },
  ),
  media_instance_running_background_jobs: optional(text('an instance name', /^[\w.-]{1,64}$/), {
    doc: 'With several instances, the name of the one that cleans up',
    example: 'vidimus-1',
  }),
  jobs: group('Background jobs', {
    instance: optional(text('an instance name', /^[\w.-]{1,64}$/), {
      doc: 'Name of this instance',
      example: 'vidimus-1',
    }),
  }),
};

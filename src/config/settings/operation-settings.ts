import { z } from 'zod';
import { choice, count, duration, flag, kindOf, list, path, size, text } from '../kinds/value-kinds.js';
import { address, baseUrl, dnsServer } from '../kinds/network-kinds.js';
import { group, optional, setting } from '../kinds/setting.js';
import { databaseUrl } from '../kinds/database-url.js';
import { LOG_WITNESS_SETTINGS } from './witness-settings.js';

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
  database: group('Where everything but media and keys is stored', {
    engine: setting(choice(['sqlite', 'postgresql']), {
      default: 'sqlite',
      doc: 'sqlite for one machine, postgresql for several',
    }),
    path: setting(path('a file'), { default: './data/vidimus.db', doc: 'The SQLite file' }),
    synchronous: setting(choice(['normal', 'full']), {
      default: 'normal',
      doc: 'SQLite: full also survives a power cut without losing the last moments, at the price of slower writes',
    }),
    url: optional(databaseUrl(), {
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
      doc: 'PostgreSQL connections held at most; more than log.max_reads and auth.max_token_reads admit together',
    }),
  }),
  dns: group('Name resolution, for key fetches and previews', {
    servers: setting(list(dnsServer(), 16), {
      default: [],
      doc: 'DNS servers. Empty: those of the system, with its search rules and its hosts file',
    }),
    resolver: setting(choice(['c-ares', 'getaddrinfo']), {
      default: 'c-ares',
      doc: 'What resolves names. getaddrinfo knows all sources of the system, but four silent names delay all others',
    }),
    hosts: setting(hosts, { default: {}, doc: 'Addresses of host names, instead of asking DNS' }),
    max_lookups: setting(count(8, 60_000), {
      default: 4096,
      doc: 'Name look-ups running at once, each with one socket; as many more wait. Half are reserved for clients that have few',
    }),
    max_lookups_per_asker: setting(count(1, 60_000), {
      default: 1024,
      doc: 'Look-ups running at once for one client address (IPv6: its /64) for keys, or one user for previews',
    }),
    max_lookups_per_domain: setting(count(1, 60_000), {
      default: 1024,
      doc: 'Look-ups running at once below one registrable domain',
    }),
    timeout_lifetime: setting(duration({ max: '1m' }), {
      default: '10s',
      doc: 'How long a name whose look-up timed out is not looked up again',
    }),
  }),
  max_tls_handshake_size: setting(size({ min: '4K', max: '128K' }), {
    default: '32K',
    doc: 'Bytes another server may send during a TLS handshake, nearly all of them certificates',
  }),
  auth: group('Who may ask for previews', {
    homeserver_url: optional(baseUrl('https', 'http'), {
      doc: 'Homeserver that checks access tokens (dialect matrix), beside our own tokens',
      example: 'http://localhost:8018/',
    }),
    max_token_reads: setting(count(2, 100), {
      default: 3,
      doc: 'Tokens, sessions and media open to everybody looked up at once, half of them for one client address (IPv6: its /64)',
    }),
    max_waiting_token_reads: setting(count(2, 100_000), {
      default: 1000,
      doc: 'Requests that may wait for that, half of them of one client; further ones get 503',
    }),
    max_asked_tokens: setting(count(1, 10_000), {
      default: 32,
      doc: 'Access tokens checked at the homeserver at once; a quarter as many more for clients that have few',
    }),
    max_asked_tokens_per_client: setting(count(1, 10_000), {
      default: 16,
      doc: 'The same for one client address (IPv6: its /64)',
    }),
    max_waiting_tokens: setting(count(2, 100_000), {
      default: 500,
      doc: 'Tokens that may wait for that, half of them of one client; further ones get 503',
    }),
    database_outage_grace: setting(duration({ max: '1d' }), {
      default: '15m',
      doc: 'How long after it was last looked up a token of ours goes on while the database is away; 0: not at all',
    }),
  }),
  enable_metrics: setting(flag(), {
    default: true,
    doc: 'Serve /metrics (Prometheus) on listeners with the resource metrics',
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
        doc: 'Least level written',
      }),
      requests: setting(choice(['all', 'errors', 'none']), {
        default: 'all',
        doc: 'Which requests leave a line; errors are those answered with 400 and above',
      }),
      max_request_lines: setting(count(1, 10_000_000), {
        default: 1000,
        doc: 'Such lines, and warnings, in ten seconds for one client address, ten times as many for all; others are counted',
      }),
      enabled: setting(flag(), {
        default: true,
        doc: 'Enter each record and key change into the log, served on listeners with the resource log',
      }),
      key_path: optional(path('a file, PRIVATE+KEY+NAME+ID+BASE64'), {
        doc: 'Key that signs the log, made at the first start. Unset: log.key beside the database or the signing key',
        example: './data/log.key',
      }),
      origin: optional(text('a host name and a path, without scheme', /^[A-Za-z0-9.:[\]_~/-]{1,255}$/), {
        doc: 'Name of the log, fixed when its key is made. Unset: host and path under which it is served',
        example: 'keys.example.org/log',
      }),
      maximum_merge_delay: setting(duration({ min: '1s', max: '1d' }), {
        default: '10s',
        doc: 'Longest time from serving a record to its log entry; health warns beyond that',
      }),
      cache_size: setting(size({ min: '64K', max: '16G' }), {
        default: '16M',
        doc: 'Memory for parts of the log that clients read',
      }),
      max_reads: setting(count(2, 100), {
        default: 4,
        doc: 'Reads of the log from the store at once, half of them for one client address (IPv6: its /64)',
      }),
      max_waiting_reads: setting(count(2, 100_000), {
        default: 500,
        doc: 'Reads that may wait for that, half of them of one client; further ones get 503',
      }),
      ...LOG_WITNESS_SETTINGS,
    },
  ),
  media_instance_running_background_jobs: optional(text('an instance name', /^[\w.-]{1,64}$/), {
    doc: 'With several instances, the one that cleans up',
    example: 'vidimus-1',
  }),
  jobs: group('Background jobs', {
    instance: optional(text('an instance name', /^[\w.-]{1,64}$/), {
      doc: 'Name of this instance',
      example: 'vidimus-1',
    }),
  }),
};

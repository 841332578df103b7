import { valueAt } from '../core/base/json/is-record.js';
import { isLoopbackName } from '../core/net/address/ip-address.js';
import { valueProblem, type Problem } from './config-errors.js';
import { lacksHomeserver } from './homeserver-url.js';
import type { Config } from './schema.js';

/** Checks settings against each other: contradictions are problems, what is merely surprising is a warning. */
export function crossCheck(config: Config): { problems: Problem[]; warnings: Problem[] } {
  const found = (checks: readonly Check[]): Problem[] =>
    checks.flatMap(([setting, isWrong, text]) => (isWrong(config) ? [valueProblem(setting, text)] : []));
  const missing = NEEDED.map(([setting, isNeeded, why]): Check => {
    const isWrong = (c: Config): boolean => isNeeded(c) && valueAt(c, setting.split('.')) === null;
    return [setting, isWrong, `is missing; ${why}`];
  });
  return {
    problems: [...openPages(config), ...found([...missing, ...CONTRADICTIONS])],
    warnings: [...publicInsides(config), ...found(SURPRISES)],
  };
}

/** A setting, whether it is wrong, and what is wrong. */
type Check = readonly [setting: string, isWrong: (config: Config) => boolean, message: string];

const hasTls = ({ listeners }: Config): boolean => listeners.some(({ tls }) => tls);
const usesS3 = ({ media }: Config): boolean => media.storage === 's3';
const isPostgres = ({ database }: Config): boolean => database.engine === 'postgresql';
/** Of a secret that may be given as it is, or in a file. */
const hasTwo = (secret: string | null, path: string | null): boolean => secret !== null && path !== null;

/** Settings that must be given where others say so. */
const NEEDED: readonly Check[] = [
  ['tls_certificate_path', hasTls, 'a listener has tls: true'],
  ['tls_private_key_path', hasTls, 'a listener has tls: true'],
  ['database.url', isPostgres, 'database.engine is postgresql'],
  ['media.s3.bucket', usesS3, 'media.storage is s3'],
  ['media.s3.access_key_id', usesS3, 'media.storage is s3'],
  [
    'media.s3.secret_access_key_path',
    (c) => usesS3(c) && c.media.s3.secret_access_key === null,
    'media.storage is s3',
  ],
  [
    'jobs.instance',
    (c) => c.media_instance_running_background_jobs !== null,
    'media_instance_running_background_jobs names one instance, so each needs its name',
  ],
  [
    'alerts.webhook.secret_path',
    ({ alerts: { webhook } }) => webhook.url !== null && webhook.secret === null,
    'it signs the alarms',
  ],
  [
    // The name may be the homeserver's, and a key made here must not get into its record.
    'signing_key_path',
    (c) => c.key_server_signing_keys_path === null,
    "if server_name is the homeserver's name, give its signing key file here or in " +
      'key_server_signing_keys_path; otherwise a file of its own ("vidimus keys generate" creates one)',
  ],
];

const CONTRADICTIONS: readonly Check[] = [
  [
    'admin.public_url',
    ({ admin: { public_url: url } }) => url !== null && new URL(url).pathname !== '/',
    'has a path; the path is admin.base_path',
  ],
  [
    // Browsers send the session's cookie over https, or over http to this machine alone.
    'admin.public_url',
    ({ admin }) => isOpenHttp(admin.public_url),
    'uses http; outside this machine it must be https',
  ],
  [
    'media.s3.secret_access_key_path',
    ({ media: { s3 } }) => hasTwo(s3.secret_access_key, s3.secret_access_key_path),
    'duplicates media.s3.secret_access_key',
  ],
  [
    'alerts.webhook.secret_path',
    ({ alerts: { webhook } }) => hasTwo(webhook.secret, webhook.secret_path),
    'duplicates alerts.webhook.secret',
  ],
  [
    'previews.proxy_url',
    ({ previews }) => previews.proxy_url !== null && !previews.proxy_filters_addresses,
    'is set, but the proxy resolves names, so private addresses cannot be refused here; ' +
      'if the proxy refuses them, set previews.proxy_filters_addresses: true',
  ],
  [
    'log.witness_quorum',
    ({ log }) => log.witness_quorum > Math.max(1, log.witnesses.length),
    'exceeds the number of log.witnesses: no checkpoint would ever be witnessed',
  ],
];

const OPEN_RANGES = 'is empty: anyone can make this server contact its private network';

const SURPRISES: readonly Check[] = [
  [
    'database.url',
    (c) => !isPostgres(c) && c.database.url !== null,
    'is not used; database.engine is sqlite',
  ],
  [
    'auth.homeserver_url',
    ({ auth, dialect }) => auth.homeserver_url !== null && dialect !== 'matrix',
    'is used only with dialect: matrix',
  ],
  [
    'admin.matrix_accounts',
    ({ admin, auth, dialect }) =>
      admin.matrix_accounts.size > 0 && (dialect !== 'matrix' || auth.homeserver_url === null),
    'is used only with dialect: matrix and auth.homeserver_url',
  ],
  [
    'federation_domain_whitelist',
    (c) => c.federation_domain_whitelist?.length === 0,
    'is empty: no keys are fetched',
  ],
  ['ip_range_blacklist', (c) => c.ip_range_blacklist.length === 0, OPEN_RANGES],
  ['url_preview_ip_range_blacklist', (c) => c.url_preview_ip_range_blacklist.length === 0, OPEN_RANGES],
  [
    'media.s3.endpoint',
    (c) => usesS3(c) && isOpenHttp(c.media.s3.endpoint),
    'is http: anybody on the network path can read all media',
  ],
  [
    'auth.homeserver_url',
    lacksHomeserver,
    'is missing with dialect: matrix; only tokens of "vidimus token create" get previews, and whether a homeserver also has our ' +
      'server_name is checked by that name alone',
  ],
];

function isOpenHttp(address: string | null): boolean {
  return address?.startsWith('http:') === true && !isLoopbackName(new URL(address).hostname);
}

function openPages({ admin, listeners }: Config): Problem[] {
  return listeners.flatMap(({ bind_addresses, resources }, index) => {
    const open = bind_addresses.find((address) => !isLoopbackName(address));
    if (!resources.includes('admin') || open === undefined || admin.public_url !== null) return [];
    const text = `serves admin on ${open}; set admin.public_url to the address that browsers use`;
    return [valueProblem(`listeners.${index}`, text)];
  });
}

/** For peers, clients and auditors. */
const PUBLIC_RESOURCES: ReadonlySet<string> = new Set(['keys', 'log', 'previews', 'media']);

function publicInsides({ listeners }: Config): Problem[] {
  return listeners.flatMap(({ bind_addresses, resources }, index) => {
    const isPublic = resources.some((name) => PUBLIC_RESOURCES.has(name));
    const inner = resources.find((name) => name === 'metrics' || name === 'admin');
    if (!isPublic || inner === undefined || bind_addresses.every(isLoopbackName)) return [];
    const text = `serves ${inner} on the address clients and peers use; give it a listener of its own`;
    return [valueProblem(`listeners.${index}`, text)];
  });
}

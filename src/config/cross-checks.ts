import { valueAt } from '../core/base/json/is-record.js';
import { isLoopbackName } from '../core/net/address/ip-address.js';
import { valueProblem, type Problem } from './config-errors.js';
import { lacksHomeserver } from './homeserver-url.js';
import type { Config } from './schema.js';

/** Checks settings against each other: contradictions are problems, what is merely surprising is a warning. */
export function crossCheck(config: Config): { problems: Problem[]; warnings: Problem[] } {
  const found = (checked: readonly (Problem | false)[]): Problem[] =>
    checked.filter((problem) => problem !== false);
  return {
    problems: [...openPages(config), ...missing(config), ...found(contradictions(config))],
    warnings: [...publicInsides(config), ...found(surprises(config))],
  };
}

/** Settings that must be given where others say so. */
function missing(config: Config): Problem[] {
  const { alerts, database, listeners, media } = config;
  const hasTls = listeners.some(({ tls }) => tls);
  const isS3 = media.storage === 's3';
  const needed: readonly (readonly [isNeeded: boolean, setting: string, why: string])[] = [
    [hasTls, 'tls_certificate_path', 'a listener has tls: true'],
    [hasTls, 'tls_private_key_path', 'a listener has tls: true'],
    [database.engine === 'postgresql', 'database.url', 'database.engine is postgresql'],
    [isS3, 'media.s3.bucket', 'media.storage is s3'],
    [isS3, 'media.s3.access_key_id', 'media.storage is s3'],
    [isS3 && media.s3.secret_access_key === null, 'media.s3.secret_access_key_path', 'media.storage is s3'],
    [
      config.media_instance_running_background_jobs !== null,
      'jobs.instance',
      'media_instance_running_background_jobs names one instance, so each needs its name',
    ],
    [
      alerts.webhook.url !== null && alerts.webhook.secret === null,
      'alerts.webhook.secret_path',
      'it signs the alarms',
    ],
    [
      // The name may be the homeserver's, and a key made here must not get into its record.
      config.key_server_signing_keys_path === null,
      'signing_key_path',
      "if server_name is the homeserver's name, give its signing key file here or in " +
        'key_server_signing_keys_path; otherwise a file of its own ("vidimus keys generate" creates one)',
    ],
  ];
  return needed.flatMap(([isNeeded, setting, why]) =>
    isNeeded && valueAt(config, setting.split('.')) === null
      ? [valueProblem(setting, `is missing; ${why}`)]
      : [],
  );
}

function contradictions({ admin, alerts, log, media, previews }: Config): (Problem | false)[] {
  const { public_url: url } = admin;
  const { webhook } = alerts;
  const { s3 } = media;
  return [
    url !== null &&
      new URL(url).pathname !== '/' &&
      valueProblem('admin.public_url', 'has a path; the path is admin.base_path'),
    // Browsers send the session's cookie over https, or over http to this machine alone.
    isOpenHttp(url) && valueProblem('admin.public_url', 'uses http; outside this machine it must be https'),
    s3.secret_access_key !== null &&
      s3.secret_access_key_path !== null &&
      valueProblem('media.s3.secret_access_key_path', 'duplicates media.s3.secret_access_key'),
    webhook.secret !== null &&
      webhook.secret_path !== null &&
      valueProblem('alerts.webhook.secret_path', 'duplicates alerts.webhook.secret'),
    previews.proxy_url !== null &&
      !previews.proxy_filters_addresses &&
      valueProblem('previews.proxy_url', BLIND),
    log.witness_quorum > Math.max(1, log.witnesses.length) &&
      valueProblem(
        'log.witness_quorum',
        'exceeds the number of log.witnesses: no checkpoint would ever be witnessed',
      ),
  ];
}

const BLIND =
  'is set, but the proxy resolves names, so private addresses cannot be refused here; ' +
  'if the proxy refuses them, set previews.proxy_filters_addresses: true';
const OPEN_RANGES = 'is empty: anyone can make this server contact its private network';
const NO_HOMESERVER =
  'is missing with dialect: matrix; only tokens of "vidimus token create" get previews, and whether a homeserver ' +
  'also has our server_name is checked by that name alone';
const ACCOUNTS = 'is used only with dialect: matrix and auth.homeserver_url';
const OPEN_STORAGE = 'is http: anybody on the network path can read all media';

function surprises(config: Config): (Problem | false)[] {
  const { admin, auth, database, dialect, log, media } = config;
  const isBeside = dialect === 'matrix' && auth.homeserver_url !== null;
  return [
    database.engine === 'sqlite' &&
      database.url !== null &&
      valueProblem('database.url', 'is not used; database.engine is sqlite'),
    auth.homeserver_url !== null &&
      dialect !== 'matrix' &&
      valueProblem('auth.homeserver_url', 'is used only with dialect: matrix'),
    admin.matrix_accounts.size > 0 && !isBeside && valueProblem('admin.matrix_accounts', ACCOUNTS),
    log.witnesses.length > 0 &&
      !log.enabled &&
      valueProblem('log.witnesses', 'is not used; log.enabled is false'),
    config.federation_domain_whitelist?.length === 0 &&
      valueProblem('federation_domain_whitelist', 'is empty: no keys are fetched'),
    config.ip_range_blacklist.length === 0 && valueProblem('ip_range_blacklist', OPEN_RANGES),
    config.url_preview_ip_range_blacklist.length === 0 &&
      valueProblem('url_preview_ip_range_blacklist', OPEN_RANGES),
    media.storage === 's3' &&
      isOpenHttp(media.s3.endpoint) &&
      valueProblem('media.s3.endpoint', OPEN_STORAGE),
    lacksHomeserver(config) && valueProblem('auth.homeserver_url', NO_HOMESERVER),
  ];
}

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

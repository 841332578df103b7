import { valueProblem, type Problem } from './config-errors.js';
import { lacksHomeserver } from './homeserver-url.js';
import type { Config } from './schema.js';
import { parseIpAddress } from '../core/net/address/ip-address.js';
import { isLoopbackName } from '../core/net/address/loopback-name.js';

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

interface Findings {
  readonly problems: Problem[];
  readonly warnings: Problem[];
}

/** Checks settings against each other: contradictions are problems, what is merely surprising is a warning. */
export function crossCheck(config: Config): Findings {
  const findings: Findings = { problems: [], warnings: [] };
  checkListeners(config, findings);
  checkAdmin(config, findings);
  checkDatabase(config, findings);
  checkFederation(config, findings);
  checkPreviews(config, findings);
  checkMedia(config, findings);
  checkInstances(config, findings);
  checkHomeserver(config, findings);
  checkOwnKeys(config, findings);
  checkWitnesses(config, findings);
  checkWebhook(config, findings);
  return findings;
}

/** For peers, clients and auditors. */
const PUBLIC_RESOURCES: ReadonlySet<string> = new Set(['keys', 'log', 'previews', 'media']);

function checkListeners(config: Config, { problems, warnings }: Findings): void {
  const sockets = config.listeners.flatMap(({ port, bind_addresses }, index) =>
    bind_addresses.map((address, position) => ({ port, address, index, position })),
  );
  for (const [at, { port, address, index, position }] of sockets.entries()) {
    const rival = sockets.slice(0, at).find((other) => other.port === port && clash(other.address, address));
    if (port === 0 || rival === undefined) continue;
    const message = `${address} port ${port} is already taken by listeners[${rival.index}]`;
    const path = ['listeners', index, 'bind_addresses', position];
    problems.push({ path, at: 'value', message, wanted: null, suggestion: null });
  }
  for (const [index, { bind_addresses, resources }] of config.listeners.entries()) {
    const isPublic = resources.some((name) => PUBLIC_RESOURCES.has(name));
    const inner = resources.find((name) => name === 'metrics' || name === 'admin');
    if (!isPublic || inner === undefined || bind_addresses.every(isLoopbackName)) continue;
    const message = `serves ${inner} on the address clients and peers use; give it a listener of its own`;
    warnings.push({ path: ['listeners', index], at: 'value', message, wanted: null, suggestion: null });
  }
  if (!config.listeners.some(({ tls }) => tls)) return;
  for (const name of ['tls_certificate_path', 'tls_private_key_path'] as const) {
    if (config[name] === null) problems.push(valueProblem(name, 'is missing; a listener has tls: true'));
  }
}

/** Browsers send the session's cookie over https, or over http to this machine alone. */
function checkAdmin({ admin, listeners, dialect, auth }: Config, { problems, warnings }: Findings): void {
  const publicUrl = admin.public_url === null ? null : new URL(admin.public_url);
  if (publicUrl !== null && publicUrl.pathname !== '/') {
    problems.push(valueProblem('admin.public_url', 'has a path; the path is admin.base_path'));
  }
  if (publicUrl?.protocol === 'http:' && !isLoopbackName(publicUrl.hostname)) {
    problems.push(valueProblem('admin.public_url', 'is http; outside of this machine it has to be https'));
  }
  for (const [index, { bind_addresses, resources }] of listeners.entries()) {
    const open = bind_addresses.find((address) => !isLoopbackName(address));
    if (!resources.includes('admin') || open === undefined || publicUrl !== null) continue;
    const message = `serves admin on ${open}; say in admin.public_url under which address browsers reach it`;
    problems.push({ path: ['listeners', index], at: 'value', message, wanted: null, suggestion: null });
  }
  if (admin.matrix_accounts.size > 0 && (dialect !== 'matrix' || auth.homeserver_url === null)) {
    const message = 'is used only with dialect: matrix and auth.homeserver_url';
    warnings.push(valueProblem('admin.matrix_accounts', message));
  }
}

function checkDatabase({ database }: Config, { problems, warnings }: Findings): void {
  if (database.engine === 'postgresql' && database.url === null) {
    problems.push(valueProblem('database.url', 'is missing; database.engine is postgresql'));
  }
  if (database.engine === 'sqlite' && database.url !== null) {
    warnings.push(valueProblem('database.url', 'is not used; database.engine is sqlite'));
  }
  if (database.engine === 'sqlite' && database.password_path !== null) {
    warnings.push(valueProblem('database.password_path', 'is not used; database.engine is sqlite'));
  }
}

function checkMedia({ media: { storage, s3 } }: Config, { problems, warnings }: Findings): void {
  const { secret_access_key: secret, secret_access_key_path: secretPath } = s3;
  if (secret !== null && secretPath !== null)
    problems.push(
      valueProblem('media.s3.secret_access_key_path', 'says the same as media.s3.secret_access_key'),
    );
  if (storage === 'disk') return;
  const missing = (['bucket', 'access_key_id'] as const).filter((name) => s3[name] === null);
  for (const name of missing)
    problems.push(valueProblem(`media.s3.${name}`, 'is missing; media.storage is s3'));
  if (secret === null && secretPath === null)
    problems.push(valueProblem('media.s3.secret_access_key_path', 'is missing; media.storage is s3'));
  if (s3.endpoint?.startsWith('http:') === true && !isLoopbackName(new URL(s3.endpoint).hostname))
    warnings.push(
      valueProblem('media.s3.endpoint', 'is http: anybody on the network path can read all media'),
    );
}

function checkFederation(config: Config, { warnings }: Findings): void {
  const { federation } = config;
  if (config.federation_domain_whitelist?.length === 0) {
    const message = 'is empty: keys are fetched from nobody';
    warnings.push(valueProblem('federation_domain_whitelist', message));
  }
  if (config.ip_range_blacklist.length === 0) warnings.push(openRanges('ip_range_blacklist'));
  if (federation.key_query_timeout < federation.key_fetch_timeout) {
    const message = 'is shorter than federation.key_fetch_timeout: slow records come too late for the answer';
    warnings.push(valueProblem('federation.key_query_timeout', message));
  }
}

function checkPreviews(config: Config, { problems, warnings }: Findings): void {
  const { previews } = config;
  if (config.url_preview_ip_range_blacklist.length === 0) {
    warnings.push(openRanges('url_preview_ip_range_blacklist'));
  }
  if (previews.proxy_url !== null && !previews.proxy_filters_addresses) {
    const message =
      'is set, but then names are resolved by the proxy and private addresses cannot be refused here; ' +
      'when the proxy refuses them, say so with previews.proxy_filters_addresses: true';
    problems.push(valueProblem('previews.proxy_url', message));
  }
  if (previews.fetch_timeout > previews.preview_timeout) {
    const message = 'is longer than previews.preview_timeout and has no effect';
    warnings.push(valueProblem('previews.fetch_timeout', message));
  }
}

function checkInstances(config: Config, { problems }: Findings): void {
  if (config.media_instance_running_background_jobs !== null && config.jobs.instance === null) {
    const message =
      'is missing; media_instance_running_background_jobs names one instance, so each needs its name';
    problems.push(valueProblem('jobs.instance', message));
  }
}

function checkHomeserver(config: Config, { problems, warnings }: Findings): void {
  if (lacksHomeserver(config)) {
    const message =
      'is missing with dialect: matrix; only tokens of "vidimus token create" get previews, and whether a homeserver ' +
      'is called server_name, too, is told by that name alone';
    warnings.push(valueProblem('auth.homeserver_url', message));
  }
  const { homeserver_url: url } = config.auth;
  if (url === null) return;
  if (config.dialect !== 'matrix') {
    warnings.push(valueProblem('auth.homeserver_url', 'is used only with dialect: matrix'));
    return;
  }
  const own = config.listeners.findIndex((listener) => leadsTo(new URL(url), listener));
  if (own === -1) return;
  const message = `leads to listeners[${own}], which is ours: tokens are asked about at the homeserver, behind the proxy`;
  problems.push(valueProblem('auth.homeserver_url', message));
}

/**
 * Whether an address is that of a listener; a name of this machine stands for both of its addresses. An address of the
 * network may be another machine's where a listener is bound to all addresses.
 */
function leadsTo(url: URL, { port, bind_addresses }: Config['listeners'][number]): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const askedPort = url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port);
  if (askedPort !== port) return false;
  const named = isLoopbackName(host) ? ['127.0.0.1', '::1'] : [];
  const addresses = parseIpAddress(host) === null ? named : [host];
  return bind_addresses.some((bound) =>
    addresses.some((address) => bound === address || (isOfThisMachine(address) && clash(bound, address))),
  );
}

function isOfThisMachine(address: string): boolean {
  return isLoopbackName(address) || isUnspecified(address);
}

function checkWebhook({ alerts: { webhook } }: Config, { problems }: Findings): void {
  const { url, secret, secret_path: path } = webhook;
  if (secret !== null && path !== null)
    problems.push(valueProblem('alerts.webhook.secret_path', 'says the same as alerts.webhook.secret'));
  if (url !== null && secret === null && path === null)
    problems.push(valueProblem('alerts.webhook.secret_path', 'is missing; what is sent is signed with it'));
}

/** Beside a homeserver the name may be the homeserver's, and a key made here must not get into its record. */
function checkOwnKeys(config: Config, { problems }: Findings): void {
  if (config.signing_key_path !== null || config.key_server_signing_keys_path !== null) return;
  const message =
    "is missing; beside a homeserver say whose name server_name is. The homeserver's: its signing key file here, or " +
    'as key_server_signing_keys_path. Another: a file of its own ("vidimus keys generate" makes one)';
  problems.push(valueProblem('signing_key_path', message));
}

function checkWitnesses({ log }: Config, { problems, warnings }: Findings): void {
  const { witnesses, witness_quorum: quorum } = log;
  if (quorum > Math.max(1, witnesses.length)) {
    const message = `is ${quorum}, and log.witnesses names ${witnesses.length}: no checkpoint would ever be witnessed`;
    problems.push(valueProblem('log.witness_quorum', message));
  }
  if (witnesses.length > 0 && !log.enabled) {
    warnings.push(valueProblem('log.witnesses', 'is not used; log.enabled is false'));
  }
}

function openRanges(name: string): Problem {
  return valueProblem(name, 'is empty: anybody can make this server contact its private network');
}

/** Whether two addresses cannot share a port: the same one, or all addresses of the family of the other. */
function clash(a: string, b: string): boolean {
  if (a === b) return true;
  const isSameFamily = a.includes(':') === b.includes(':');
  return isSameFamily && (isUnspecified(a) || isUnspecified(b));
}

function isUnspecified(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

import { CLIENT_MEDIA_FOLDERS, dialectOf } from '../../../core/base/dialect.js';
import { isLoopbackName } from '../../../core/net/address/ip-address.js';
import { logPath } from '../../../core/notary/log/log-store.js';
import { MEDIA_ID_PATTERN } from '../../../core/preview/media/media-paths.js';
import { homeserverUrlOf } from '../../homeserver-url.js';
import type { Config } from '../../schema.js';

/** Where a proxy connects to. */
export interface Upstream {
  name: string;
  scheme: 'http' | 'https';
  /** Host and port, an IPv6 host in brackets. */
  address: string;
}

/** Paths that a proxy sends to one of our listeners, whatever the method. */
export interface ProxyRoute {
  resource: 'previews' | 'media' | 'keys' | 'log';
  /** A regular expression that PCRE and RE2 read alike, for the path without query, percent-escapes decoded. */
  pattern: string;
  to: Upstream;
  /** How long the proxy waits for a part of the answer: longer than we take. */
  timeoutSeconds: number;
  /** Where the proxy asks what is 404 here; `null`: 404 is the answer. */
  fallback: Upstream | null;
}

/** What a proxy in front of a configuration has to know. */
export interface ProxyPlan {
  /** Host that peers and clients ask. */
  host: string;
  /** Whether the lines go into what is there for a homeserver. */
  isBesideHomeserver: boolean;
  /** None: no listener serves peers or clients. */
  routes: readonly ProxyRoute[];
  /** What the reader has to know, a sentence or two each. */
  notes: readonly string[];
}

export interface ProxyPlanOptions {
  /** `server_name` is not a homeserver's: the lines are for a host of its own, where we publish its key record. */
  ownName?: boolean;
}

type Listener = Config['listeners'][number];

/** Beyond our own deadlines, for tokens to be checked and answers to be sent. */
const SPARE_SECONDS = 60;
const VERSIONS = CLIENT_MEDIA_FOLDERS.flatMap((folder) => /^media\/(\w+)$/.exec(folder)?.[1] ?? []);
const FOLDERS = `(media/(${VERSIONS.join('|')})|client/v1/media)`;

/**
 * Works out what a proxy sends here. Beside a homeserver that is previews, key queries, media of our name with an id of
 * our form, and the log; all else stays with the homeserver, its key record too. Never the operators' pages or
 * metrics.
 */
export function proxyPlan(config: Config, { ownName = false }: ProxyPlanOptions = {}): ProxyPlan {
  const isBesideHomeserver = !ownName && homeserverUrlOf(config) !== null;
  const homeserver = isBesideHomeserver ? homeserverOf(config) : null;
  const routes = routesOf(config, isBesideHomeserver, homeserver);
  const notes = [
    ...listenerNotes(config, routes),
    ...(isBesideHomeserver ? homeserverNotes(config, homeserver) : []),
  ];
  return { host: publicHost(config), isBesideHomeserver, routes, notes };
}

function routesOf(config: Config, isBesideHomeserver: boolean, homeserver: Upstream | null): ProxyRoute[] {
  const { dialect, federation, previews, server_name: serverName } = config;
  const { pathPrefix } = dialectOf(dialect);
  const publishesRecord = config.signing_key_path !== null && !isBesideHomeserver;
  const ourMedia = `${serverName.replaceAll(/[.[\]]/g, String.raw`\$&`)}/${MEDIA_ID_PATTERN}`;
  const wanted: [ProxyRoute['resource'], string, number?][] = [
    ['previews', `${pathPrefix}/${FOLDERS}/preview_url/?$`, previews.preview_timeout],
    ['media', `${pathPrefix}/${FOLDERS}/(download|thumbnail)/${ourMedia}(/|$)`],
    [
      'keys',
      `${pathPrefix}/key/v2/${publishesRecord ? '(query|server)' : 'query'}(/|$)`,
      federation.key_query_timeout,
    ],
    // No homeserver knows the log: what is 404 there is 404.
    ...(config.log.enabled ? [['log', `${logPath(pathPrefix)}/`] as ['log', string]] : []),
  ];
  return wanted.flatMap(([resource, path, timeoutMs = 0]) => {
    const listener = listenerOf(config, resource);
    if (listener === null) return [];
    const fallback = resource === 'media' ? homeserver : null;
    const timeoutSeconds = SPARE_SECONDS + Math.ceil(timeoutMs / 1000);
    return [{ resource, pattern: `^${path}`, to: upstreamOf(listener), timeoutSeconds, fallback }];
  });
}

/** One without TLS if there is one: the proxy has ended it. */
function listenerOf({ listeners }: Config, resource: ProxyRoute['resource']): Listener | null {
  const serving = listeners.filter(({ resources }) => resources.includes(resource));
  return serving.find(({ tls }) => !tls) ?? serving[0] ?? null;
}

function upstreamOf({ bind_addresses: addresses, port, tls }: Listener): Upstream {
  const bound = addresses.find(isLoopbackName) ?? addresses[0] ?? '';
  const host = bound === '0.0.0.0' ? '127.0.0.1' : bound === '::' ? '::1' : bound;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { name: `vidimus_${port}`, scheme: tls ? 'https' : 'http', address };
}

/** `null` when the proxy would come back to itself: `auth.homeserver_url` names the public address. */
function homeserverOf(config: Config): Upstream | null {
  const { protocol, hostname, pathname, port } = new URL(homeserverUrlOf(config) ?? '');
  const isPublic = [publicHost(config), hostOf(config.server_name)].includes(hostname);
  if (protocol === 'https:' || isPublic || pathname !== '/') return null;
  return { name: 'vidimus_homeserver', scheme: 'http', address: `${hostname}:${port || '80'}` };
}

function listenerNotes(config: Config, routes: readonly ProxyRoute[]): string[] {
  const used = new Set(routes.flatMap(({ resource }) => listenerOf(config, resource) ?? []));
  return [...used].flatMap(({ port, tls, x_forwarded: xForwarded }) => {
    const listener = `the listener on port ${port}`;
    return [
      ...(xForwarded ? [] : [`Set x_forwarded: true on ${listener}: without it all clients count as one.`]),
      ...(port === 0 ? ['A listener takes any free port (port: 0): give it one.'] : []),
      ...(tls ? [`The certificate of ${listener} is not checked.`] : []),
    ];
  });
}

const NEEDS_ADDRESS =
  'Name the address behind the proxy in auth.homeserver_url, such as http://127.0.0.1:8018/: without it media ' +
  'that the homeserver made under an id of our form is 404.';

function homeserverNotes({ dialect, signing_key_path: path }: Config, homeserver: Upstream | null): string[] {
  const record =
    `${dialectOf(dialect).pathPrefix}/key/v2/server stays with the homeserver. A server_name that is not the ` +
    "homeserver's has a host of its own; its lines: add --own-name.";
  return [...(homeserver === null ? [NEEDS_ADDRESS] : []), ...(path === null ? [] : [record])];
}

function publicHost({ public_baseurl: url, server_name: serverName }: Config): string {
  return url === null ? hostOf(serverName) : new URL(url).hostname;
}

/** Without the port. */
function hostOf(serverName: string): string {
  return serverName.replace(/:\d+$/, '');
}

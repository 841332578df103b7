import { KEY_QUERY_LIMITS } from '../../../core/notary/keys/key-query.js';
import { CLIENT_MEDIA_FOLDERS, dialectOf } from '../../../core/base/dialect.js';
import { isLoopbackName } from '../../../core/net/address/loopback-name.js';
import { logPath } from '../../../core/notary/log/log-path.js';
import { MEDIA_ID_PATTERN } from '../../../core/preview/media/media-id.js';
import { homeserverUrlOf } from '../../homeserver-url.js';
import type { Config } from '../../schema.js';
import type { Resource } from '../../settings/server-settings.js';

/** Where a proxy connects to; `address` is host and port, an IPv6 host in brackets. */
export interface Upstream {
  /** What the lines call it. */
  name: string;
  isTls: boolean;
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
  maxBodyBytes: number;
  /** What the reader has to know, a sentence or two each. */
  notes: readonly string[];
}

export interface ProxyPlanOptions {
  /** `server_name` is no homeserver's: the lines are for a host of its own, where we publish its key record. */
  ownName?: boolean;
}

type Listener = Config['listeners'][number];

/** Beyond our own deadlines, for tokens to be asked about and answers to be sent. */
const SPARE_SECONDS = 60;
const FOLDERS = folderPattern(CLIENT_MEDIA_FOLDERS);

/**
 * Works out what a proxy sends here. Beside a homeserver that is previews, key queries, media of our name with an id of
 * our form, and the log; all else stays with the homeserver, its key record too. Never the operators' pages or
 * metrics.
 */
export function proxyPlan(config: Config, { ownName = false }: ProxyPlanOptions = {}): ProxyPlan {
  const isBesideHomeserver = !ownName && homeserverUrlOf(config) !== null;
  const homeserver = isBesideHomeserver ? homeserverOf(config) : null;
  const routes = routesOf(config, { isBesideHomeserver, homeserver });
  return {
    host: publicHost(config),
    isBesideHomeserver,
    routes,
    maxBodyBytes: KEY_QUERY_LIMITS.maxBodyBytes,
    notes: [
      ...listenerNotes(config, routes),
      ...(isBesideHomeserver ? homeserverNotes(config, homeserver) : []),
    ],
  };
}

interface Beside {
  isBesideHomeserver: boolean;
  homeserver: Upstream | null;
}

type WantedRoute = Omit<ProxyRoute, 'to'>;

function routesOf(config: Config, beside: Beside): ProxyRoute[] {
  const served = [...wantedForClients(config, beside), ...wantedForPeers(config, beside)].flatMap((route) => {
    const listener = listenerOf(config, route.resource);
    return listener === null ? [] : [{ route, listener }];
  });
  const isShared = new Set(served.map(({ listener }) => listener)).size > 1;
  return served.map(({ route, listener }) => {
    const first = served.find((each) => each.listener === listener);
    const name = isShared && first !== undefined ? `vidimus_${first.route.resource}` : 'vidimus';
    return { ...route, to: upstreamOf(listener, name) };
  });
}

function wantedForClients(config: Config, { homeserver }: Beside): WantedRoute[] {
  const { pathPrefix } = dialectOf(config.dialect);
  const ourMedia = `${escaped(config.server_name)}/${MEDIA_ID_PATTERN}`;
  return [
    {
      resource: 'previews',
      pattern: `^${pathPrefix}/${FOLDERS}/preview_url/?$`,
      timeoutSeconds: SPARE_SECONDS + seconds(config.previews.preview_timeout),
      fallback: null,
    },
    {
      resource: 'media',
      pattern: `^${pathPrefix}/${FOLDERS}/(download|thumbnail)/${ourMedia}(/|$)`,
      timeoutSeconds: SPARE_SECONDS,
      fallback: homeserver,
    },
  ];
}

/** No homeserver knows the log: what is 404 there is 404. */
function wantedForPeers(config: Config, { isBesideHomeserver }: Beside): WantedRoute[] {
  const { pathPrefix } = dialectOf(config.dialect);
  const publishesRecord = config.signing_key_path !== null && !isBesideHomeserver;
  const below = (path: string) => ({
    pattern: `^${path}/`,
    timeoutSeconds: SPARE_SECONDS,
    fallback: null,
  });
  return [
    {
      resource: 'keys',
      pattern: `^${pathPrefix}/key/v2/${publishesRecord ? '(query|server)' : 'query'}(/|$)`,
      timeoutSeconds: SPARE_SECONDS + seconds(config.federation.key_query_timeout),
      fallback: null,
    },
    ...(config.log.enabled ? [{ resource: 'log' as const, ...below(logPath(pathPrefix)) }] : []),
  ];
}

/** One without TLS if there is one: the proxy has ended it. */
function listenerOf({ listeners }: Config, resource: Resource): Listener | null {
  const serving = listeners.filter(({ resources }) => resources.includes(resource));
  return serving.find(({ tls }) => !tls) ?? serving[0] ?? null;
}

function upstreamOf({ bind_addresses: addresses, port, tls }: Listener, name: string): Upstream {
  const bound = addresses.find(isLoopbackName) ?? addresses[0] ?? '';
  const host = bound === '0.0.0.0' ? '127.0.0.1' : bound === '::' ? '::1' : bound;
  return { name, isTls: tls, address: `${host.includes(':') ? `[${host}]` : host}:${port}` };
}

/** `null` when the proxy would come back to itself: `auth.homeserver_url` names the public address. */
function homeserverOf(config: Config): Upstream | null {
  const url = new URL(homeserverUrlOf(config) ?? '');
  const isTls = url.protocol === 'https:';
  const isPublic = [publicHost(config), hostOf(config.server_name)].includes(url.hostname);
  if (isTls || isPublic || url.pathname !== '/') return null;
  return { name: 'vidimus_homeserver', isTls, address: `${url.hostname}:${url.port || '80'}` };
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

function homeserverNotes(
  { dialect, signing_key_path: keyPath }: Config,
  homeserver: Upstream | null,
): string[] {
  const { pathPrefix } = dialectOf(dialect);
  return [
    ...(homeserver === null
      ? [
          'Name the address behind the proxy in auth.homeserver_url, such as http://127.0.0.1:8018/: without it media ' +
            'that the homeserver made under an id of our form is 404.',
        ]
      : []),
    ...(keyPath === null
      ? []
      : [
          `${pathPrefix}/key/v2/server stays with the homeserver. A server_name that is not the homeserver's has a ` +
            'host of its own; its lines: add --own-name.',
        ]),
  ];
}

function publicHost({ public_baseurl: url, server_name: serverName }: Config): string {
  return url === null ? hostOf(serverName) : new URL(url).hostname;
}

/** Without the port. */
function hostOf(serverName: string): string {
  return serverName.replace(/:\d+$/, '');
}

/** `media/r0`, `media/v1` … as one group: `(media/(r0|v1|v3)|client/v1/media)`. */
function folderPattern(folders: readonly string[]): string {
  const versions = folders.flatMap((folder) => /^media\/(\w+)$/.exec(folder)?.[1] ?? []);
  const others = folders.filter((folder) => !/^media\/\w+$/.test(folder));
  return `(${[`media/(${versions.join('|')})`, ...others].join('|')})`;
}

function escaped(text: string): string {
  return text.replaceAll(/[.[\]]/g, String.raw`\$&`);
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

import { CLIENT_MEDIA_FOLDERS, dialectOf } from '../../core/base/dialect.js';
import { isLoopbackName } from '../../core/net/address/ip-address.js';
import { KEY_QUERY_LIMITS } from '../../core/notary/keys/key-query.js';
import { logPath } from '../../core/notary/log/log-store.js';
import { MEDIA_ID_PATTERN } from '../../core/preview/media/media-paths.js';
import { homeserverUrlOf } from '../homeserver-url.js';
import type { Config } from '../schema.js';
import { TRIAL_SERVER_NAME } from '../load-config.js';

export const PROXY_SERVERS = ['nginx', 'caddy'] as const;

export type ProxyServer = (typeof PROXY_SERVERS)[number];

/** Paths that a proxy sends to one of our listeners, whatever the method. */
export interface ProxyRoute {
  resource: 'previews' | 'media' | 'keys' | 'log';
  /** A regular expression that PCRE and RE2 read alike, for the path without query, percent-escapes decoded. */
  pattern: string;
  scheme: 'http' | 'https';
  /** Host and port of our listener, an IPv6 host in brackets. */
  address: string;
  /** How long the proxy waits for a part of the answer: longer than we take. */
  timeoutSeconds: number;
}

/** Beyond our own deadlines, for tokens to be checked and answers to be sent. */
const SPARE_SECONDS = 60;
const VERSIONS = CLIENT_MEDIA_FOLDERS.flatMap((folder) => /^media\/(\w+)$/.exec(folder)?.[1] ?? []);
const FOLDERS = `(media/(${VERSIONS.join('|')})|client/v1/media)`;

/**
 * What a proxy sends here. Beside a homeserver that is previews, key queries, media of our name with an ID of our form,
 * and the log; all else stays with the homeserver, its key record too. Never the operators' pages or metrics.
 * `ownName`: the lines are for the host of `server_name`, where we publish its record and the homeserver has another.
 */
export function proxyRoutes(config: Config, ownName = false): ProxyRoute[] {
  const { dialect, federation, previews, server_name: serverName } = config;
  const { pathPrefix } = dialectOf(dialect);
  const publishesRecord = config.signing_key_path !== null && (ownName || homeserverUrlOf(config) === null);
  const ourMedia = `${serverName.replaceAll(/[.[\]]/g, String.raw`\$&`)}/${MEDIA_ID_PATTERN}`;
  const keys = publishesRecord ? '(query|server)' : 'query';
  const wanted: [ProxyRoute['resource'], string, number][] = [
    ['previews', `${pathPrefix}/${FOLDERS}/preview_url/?$`, previews.preview_timeout],
    ['media', `${pathPrefix}/${FOLDERS}/(download|thumbnail)/${ourMedia}(/|$)`, 0],
    ['keys', `${pathPrefix}/key/v2/${keys}(/|$)`, federation.key_query_timeout],
    ['log', `${logPath(pathPrefix)}/`, 0],
  ];
  return wanted.flatMap(([resource, path, timeoutMs]) => {
    const listener = listenerOf(config, resource);
    if (listener === null || (resource === 'log' && !config.log.enabled)) return [];
    const timeoutSeconds = SPARE_SECONDS + Math.ceil(timeoutMs / 1000);
    const address = localAddress(listener);
    return [
      { resource, pattern: `^${path}`, scheme: listener.tls ? 'https' : 'http', address, timeoutSeconds },
    ];
  });
}

/** Host and port at which this machine reaches a listener, an IPv6 host in brackets. */
export function localAddress({ bind_addresses: bound, port }: Config['listeners'][number]): string {
  const first = bound.find(isLoopbackName) ?? bound[0] ?? '';
  const host = first === '0.0.0.0' ? '127.0.0.1' : first === '::' ? '::1' : first;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** One without TLS if there is one: the proxy has ended it. */
function listenerOf({ listeners }: Config, resource: ProxyRoute['resource']) {
  const serving = listeners.filter(({ resources }) => resources.includes(resource));
  return serving.find(({ tls }) => !tls) ?? serving[0] ?? null;
}

/** What a reverse proxy in front of this configuration needs, to be pasted; ends with a line break. */
export function proxyLines(config: Config, server: ProxyServer, ownName = false): string {
  const routes = proxyRoutes(config, ownName);
  const { public_baseurl: url, server_name: name } = config;
  const host = url === null ? name.replace(/:\d+$/, '') : new URL(url).hostname;
  const isBeside = !ownName && homeserverUrlOf(config) !== null;
  const blind = config.listeners.filter(({ x_forwarded: isSet, resources }) => {
    return !isSet && routes.some(({ resource }) => resources.includes(resource));
  });
  const notes = blind.map(
    ({ port }) =>
      `# Set x_forwarded: true on the listener on port ${port}: without it all clients count as one.`,
  );
  const lines = server === 'nginx' ? nginxLines(routes, host, isBeside) : caddyLines(routes, host, isBeside);
  return `${[...notes, ...lines].join('\n')}\n`;
}

const NGINX_ORDER = [
  '# Before the homeserver\'s own "location ~": the first regular expression that matches wins. A "location ^~" of',
  '# the homeserver overrides all of them; remove its "^~".',
];
const NGINX_PASS = [
  'proxy_http_version 1.1;',
  'proxy_set_header Connection "";',
  'proxy_set_header Host $host;',
  'proxy_set_header X-Forwarded-For $remote_addr;',
  'proxy_set_header X-Forwarded-Proto $scheme;',
];
/** A key query changes nothing: it may be sent again to another instance, or over a new connection. */
const NGINX_KEYS = [
  `client_max_body_size ${KEY_QUERY_LIMITS.maxBodyBytes};`,
  'proxy_next_upstream error timeout non_idempotent;',
];

function nginxLines(routes: readonly ProxyRoute[], host: string, isBeside: boolean): string[] {
  const upstreamOf = (address: string): string => `vidimus_${/\d+$/.exec(address)?.[0]}`;
  return [
    '# In the http block, outside of server { … }:',
    ...[...new Set(routes.map(({ address }) => address))].flatMap((address) => [
      ...block(`upstream ${upstreamOf(address)}`, [`server ${address};`, 'keepalive 32;']),
      '',
    ]),
    `# In each server { … } of ${host}:`,
    ...(isBeside ? NGINX_ORDER : []),
    ...routes.flatMap(({ resource, pattern, scheme, address, timeoutSeconds }) =>
      block(`location ~ "${pattern}"`, [
        `proxy_pass ${scheme}://${upstreamOf(address)};`,
        ...NGINX_PASS,
        `proxy_read_timeout ${timeoutSeconds}s;`,
        ...(resource === 'keys' ? NGINX_KEYS : []),
      ]),
    ),
  ];
}

/** Lines for a Caddyfile. Caddy keeps connections, passes bodies on as they come and has no time limit of its own. */
function caddyLines(routes: readonly ProxyRoute[], host: string, isBeside: boolean): string[] {
  const unchecked = block('transport http', ['tls_insecure_skip_verify'], '\t');
  return [
    `# In the site block of ${host}${isBeside ? ", before the homeserver's own" : ''}:`,
    ...routes.flatMap(({ resource, pattern, scheme, address }) => {
      const lines = ['header_up X-Forwarded-For {remote_host}', ...(scheme === 'https' ? unchecked : [])];
      const pass = block(`reverse_proxy ${scheme}://${address}`, lines, '\t');
      const matcher = `@vidimus_${resource}`;
      return [`${matcher} path_regexp \`${pattern}\``, ...block(`handle ${matcher}`, pass, '\t')];
    }),
  ];
}

function block(head: string, lines: readonly string[], indent = '    '): string[] {
  return [`${head} {`, ...lines.map((line) => `${indent}${line}`), '}'];
}

/** Where peers and clients ask, without a slash at the end; in a trial, which has no name, the listener's address. */
export function publicUrlOf(config: Config): string {
  const { public_baseurl: stated, server_name: serverName } = config;
  if (stated !== null) return stated.replace(/\/$/, '');
  const [route] = proxyRoutes(config);
  const isTrial = serverName === TRIAL_SERVER_NAME && route !== undefined;
  return isTrial ? `${route.scheme}://${route.address}` : `https://${serverName}`;
}

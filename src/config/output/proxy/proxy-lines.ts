import { KEY_QUERY_LIMITS } from '../../../core/notary/keys/key-query.js';
import type { Config } from '../../schema.js';
import {
  proxyPlan,
  type ProxyPlan,
  type ProxyPlanOptions,
  type ProxyRoute,
  type Upstream,
} from './proxy-plan.js';

/** Reverse proxies that lines are written for. */
export const PROXY_SERVERS = ['nginx', 'caddy'] as const;

export type ProxyServer = (typeof PROXY_SERVERS)[number];

/** Instead of lines where there are none. */
export const NOTHING_TO_PASS_ON = 'No listener serves peers or clients: there is nothing to pass on.';

/** What a reverse proxy in front of this configuration needs, to be pasted; ends with a line break. */
export function proxyLines(config: Config, server: ProxyServer, options: ProxyPlanOptions = {}): string {
  const plan = proxyPlan(config, options);
  if (plan.routes.length === 0) return `# ${NOTHING_TO_PASS_ON}\n`;
  const notes = plan.notes.map((note) => `# ${note.replaceAll(/(.{80,110}) /g, '$1\n# ')}`);
  const lines = server === 'nginx' ? nginxLines(plan) : caddyLines(plan);
  return `${[...notes, ...(notes.length > 0 ? [''] : []), ...lines].join('\n')}\n`;
}

const NGINX_ORDER = [
  '# Before the homeserver\'s own "location ~": the first regular expression that matches wins. A "location ^~" of',
  '# the homeserver would win over all of them; take its "^~" away.',
];
const FORWARDED = [
  'proxy_http_version 1.1;',
  'proxy_set_header Connection "";',
  'proxy_set_header Host $host;',
  'proxy_set_header X-Forwarded-For $remote_addr;',
  'proxy_set_header X-Forwarded-Proto $scheme;',
];
/** A key query changes nothing: it may be sent again to another instance, or over a new connection. */
const KEY_LINES = [
  `client_max_body_size ${KEY_QUERY_LIMITS.maxBodyBytes};`,
  'proxy_next_upstream error timeout non_idempotent;',
];

/** Lines for nginx: `upstream` blocks, which keep connections, and locations. */
function nginxLines({ host, isBesideHomeserver, routes }: ProxyPlan): string[] {
  const fallback = routes.find((route) => route.fallback !== null)?.fallback ?? null;
  const all = [...routes.map(({ to }) => to), ...(fallback === null ? [] : [fallback])];
  const upstreams = [...new Map(all.map((upstream) => [upstream.name, upstream])).values()];
  return [
    '# In the http block, outside of server { … }:',
    ...upstreams.flatMap(({ name, address }) => [
      ...block(`upstream ${name}`, [`server ${address};`, 'keepalive 32;']),
      '',
    ]),
    `# In each server { … } of ${host}:`,
    ...(isBesideHomeserver ? NGINX_ORDER : []),
    ...routes.flatMap(nginxLocation),
    ...(fallback === null ? [] : block(`location @${fallback.name}`, nginxPass(fallback))),
  ];
}

function nginxLocation({ resource, pattern, to, timeoutSeconds, fallback }: ProxyRoute): string[] {
  return block(`location ~ "${pattern}"`, [
    ...nginxPass(to),
    `proxy_read_timeout ${timeoutSeconds}s;`,
    ...(resource === 'keys' ? KEY_LINES : []),
    ...(fallback === null ? [] : ['proxy_intercept_errors on;', `error_page 404 = @${fallback.name};`]),
  ]);
}

function nginxPass({ scheme, name }: Upstream): string[] {
  return [`proxy_pass ${scheme}://${name};`, ...FORWARDED];
}

/** Lines for a Caddyfile. Caddy keeps connections, passes bodies on as they come and has no time limit of its own. */
function caddyLines({ host, isBesideHomeserver, routes }: ProxyPlan): string[] {
  return [
    `# In the site block of ${host}${isBesideHomeserver ? ", before the homeserver's own" : ''}:`,
    ...routes.flatMap(({ resource, pattern, to, fallback }) => {
      const matcher = `@vidimus_${resource}`;
      const missing =
        fallback === null
          ? []
          : ['@missing status 404', ...block('handle_response @missing', caddyPass(fallback), '\t')];
      return [
        `${matcher} path_regexp \`${pattern}\``,
        ...block(`handle ${matcher}`, caddyPass(to, missing), '\t'),
      ];
    }),
  ];
}

function caddyPass({ scheme, address }: Upstream, more: readonly string[] = []): string[] {
  const tls = scheme === 'https' ? block('transport http', ['tls_insecure_skip_verify'], '\t') : [];
  const lines = ['header_up X-Forwarded-For {remote_host}', ...tls, ...more];
  return block(`reverse_proxy ${scheme}://${address}`, lines, '\t');
}

/** A block with braces, its lines indented. */
function block(head: string, lines: readonly string[], indent = '    '): string[] {
  return [`${head} {`, ...lines.map((line) => `${indent}${line}`), '}'];
}

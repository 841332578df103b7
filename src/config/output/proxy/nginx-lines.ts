import { block, schemeOf, upstreamsOf } from './proxy-text.js';
import type { ProxyPlan, ProxyRoute, Upstream } from './proxy-plan.js';

const FORWARDED = [
  'proxy_http_version 1.1;',
  'proxy_set_header Connection "";',
  'proxy_set_header Host $host;',
  'proxy_set_header X-Forwarded-For $remote_addr;',
  'proxy_set_header X-Forwarded-Proto $scheme;',
];

/** A key query changes nothing: one that got no answer may be asked of another instance, or over a new connection. */
const ASKED_AGAIN = 'proxy_next_upstream error timeout non_idempotent;';

/** Lines for nginx: `upstream` blocks, which keep connections, and locations. */
export function nginxLines(plan: ProxyPlan): string[] {
  const upstreams = upstreamsOf(plan);
  const fallback = plan.routes.find((route) => route.fallback !== null)?.fallback ?? null;
  const order = plan.isBesideHomeserver
    ? [
        '# Before the homeserver\'s own "location ~": the first regular expression that matches wins. A "location ^~" of',
        '# the homeserver would win over all of them; take its "^~" away.',
      ]
    : [];
  return [
    '# In the http block, outside of server { … }:',
    ...upstreams.flatMap(({ name, address }) => [
      ...block(`upstream ${name}`, [`server ${address};`, 'keepalive 32;']),
      '',
    ]),
    `# In each server { … } of ${plan.host}:`,
    ...order,
    ...plan.routes.flatMap((route) => location(route, plan.maxBodyBytes)),
    ...(fallback === null ? [] : block(`location @${fallback.name}`, passTo(fallback))),
  ];
}

function location(
  { resource, pattern, to, timeoutSeconds, fallback }: ProxyRoute,
  maxBodyBytes: number,
): string[] {
  return block(`location ~ "${pattern}"`, [
    ...passTo(to),
    `proxy_read_timeout ${timeoutSeconds}s;`,
    ...(resource === 'keys' ? [`client_max_body_size ${maxBodyBytes};`, ASKED_AGAIN] : []),
    ...(fallback === null ? [] : ['proxy_intercept_errors on;', `error_page 404 = @${fallback.name};`]),
  ]);
}

function passTo(upstream: Upstream): string[] {
  return [`proxy_pass ${schemeOf(upstream)}://${upstream.name};`, ...FORWARDED];
}

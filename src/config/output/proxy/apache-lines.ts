import { schemeOf } from './proxy-text.js';
import type { ProxyPlan, ProxyRoute, Upstream } from './proxy-plan.js';

const INDENT = '    ';
/** Where Apache goes for what is 404 here; the path that was asked for stands in the first line of the request. */
const FALLBACK_PATH = '/.vidimus-homeserver';

/** Lines for Apache's httpd. It adds the client's address to X-Forwarded-For, so the client's own has to go before. */
export function apacheLines(plan: ProxyPlan): string[] {
  const order = plan.isBesideHomeserver ? ", before the homeserver's own ProxyPass" : '';
  const timeoutSeconds = Math.max(...plan.routes.map((route) => route.timeoutSeconds));
  const isTls = plan.routes.some(({ to }) => to.isTls);
  return [
    '# Modules: headers, proxy, proxy_http, rewrite.',
    `# In the VirtualHost of ${plan.host}${order}:`,
    ...(isTls ? ['SSLProxyEngine on', 'SSLProxyCheckPeerName off'] : []),
    ...plan.routes.map(
      ({ resource, pattern, to }) =>
        // As it was asked for, where names and ids stand in the path.
        `ProxyPassMatch "${pattern}" "${addressOf(to)}" ${resource === 'previews' ? '' : 'nocanon '}timeout=${timeoutSeconds}`,
    ),
    ...plan.routes.flatMap((route) => location(route)),
    ...plan.routes.flatMap(({ fallback }) => (fallback === null ? [] : askAgain(fallback))),
  ];
}

function addressOf(upstream: Upstream): string {
  return `${schemeOf(upstream)}://${upstream.address}`;
}

function location({ pattern, fallback }: ProxyRoute): string[] {
  return section(`LocationMatch "${pattern}"`, [
    'RequestHeader unset X-Forwarded-For',
    'RequestHeader set X-Forwarded-Proto expr=%{REQUEST_SCHEME}',
    ...(fallback === null ? [] : ['ProxyErrorOverride On 404', `ErrorDocument 404 ${FALLBACK_PATH}`]),
  ]);
}

function askAgain(homeserver: Upstream): string[] {
  return [
    'RewriteEngine On',
    String.raw`RewriteCond "%{THE_REQUEST}" "^[A-Z]+ (/[^ ?]*)\??([^ ]*)"`,
    `RewriteRule "^${FALLBACK_PATH.replace('.', String.raw`\.`)}$" "${addressOf(homeserver)}%1?%2" [P,NE]`,
  ];
}

function section(head: string, lines: readonly string[]): string[] {
  const name = head.split(' ', 1)[0] ?? '';
  return [`<${head}>`, ...lines.map((line) => `${INDENT}${line}`), `</${name}>`];
}

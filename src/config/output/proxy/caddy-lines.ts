import { block, schemeOf } from './proxy-text.js';
import type { ProxyPlan, ProxyRoute, Upstream } from './proxy-plan.js';

const TAB = '\t';

/** Lines for a Caddyfile. Caddy keeps connections, passes bodies on as they come and has no time limit of its own. */
export function caddyLines(plan: ProxyPlan): string[] {
  const order = plan.isBesideHomeserver ? ", before the homeserver's own" : '';
  return [
    `# In the site block of ${plan.host}${order}:`,
    ...plan.routes.flatMap((route) => {
      const matcher = `@vidimus_${route.resource}`;
      return [
        `${matcher} path_regexp \`${route.pattern}\``,
        ...block(`handle ${matcher}`, reverseProxy(route.to, fallbackOf(route)), TAB),
      ];
    }),
  ];
}

function fallbackOf({ fallback }: ProxyRoute): string[] {
  if (fallback === null) return [];
  return ['@missing status 404', ...block('handle_response @missing', reverseProxy(fallback, []), TAB)];
}

function reverseProxy(upstream: Upstream, more: readonly string[]): string[] {
  const tls = upstream.isTls ? block('transport http', ['tls_insecure_skip_verify'], TAB) : [];
  const lines = ['header_up X-Forwarded-For {remote_host}', ...tls, ...more];
  return block(`reverse_proxy ${schemeOf(upstream)}://${upstream.address}`, lines, TAB);
}

import type { ProxyPlan, ProxyRoute, Upstream } from './proxy-plan.js';

const INDENT = '    ';

/** Lines for HAProxy. What is 404 here is tried once more, at the next server of its backend. */
export function haproxyLines(plan: ProxyPlan): string[] {
  const order = plan.isBesideHomeserver ? ', before its other use_backend lines' : '';
  return [
    `# In the frontend of ${plan.host}${order}:`,
    ...plan.routes.map(
      (route) => `${INDENT}use_backend ${nameOf(route)} if { path,url_dec -m reg '${route.pattern}' }`,
    ),
    '',
    '# Beside the frontend:',
    ...plan.routes.flatMap(backend),
  ];
}

function nameOf({ resource }: ProxyRoute): string {
  return `vidimus_${resource}`;
}

function backend(route: ProxyRoute): string[] {
  const { to, fallback, timeoutSeconds } = route;
  const again = ['balance first', 'retries 1', 'option redispatch 1', 'retry-on conn-failure 404'];
  const lines = [
    'mode http',
    'timeout connect 5s',
    `timeout server ${timeoutSeconds}s`,
    'http-request set-header X-Forwarded-For %[src]',
    ...(fallback === null ? [] : again),
    server(to),
    ...(fallback === null ? [] : [server(fallback)]),
  ];
  return [`backend ${nameOf(route)}`, ...lines.map((line) => `${INDENT}${line}`)];
}

function server({ name, address, isTls }: Upstream): string {
  return `server ${name} ${address}${isTls ? ' ssl verify none' : ''}`;
}

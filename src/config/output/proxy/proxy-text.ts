import type { ProxyPlan, Upstream } from './proxy-plan.js';

/** A block with braces, its lines indented. */
export function block(head: string, lines: readonly string[], indent = '    '): string[] {
  return [`${head} {`, ...lines.map((line) => `${indent}${line}`), '}'];
}

/** Everything that is asked, each once, in the order of the routes. */
export function upstreamsOf({ routes }: ProxyPlan): Upstream[] {
  const all = routes.flatMap(({ to, fallback }) => (fallback === null ? [to] : [to, fallback]));
  return [...new Map(all.map((upstream) => [upstream.name, upstream])).values()];
}

export function schemeOf({ isTls }: Upstream): 'http' | 'https' {
  return isTls ? 'https' : 'http';
}

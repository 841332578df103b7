/** Reverse proxies that lines are written for. */
export const PROXY_SERVERS = ['nginx', 'caddy'] as const;

export type ProxyServer = (typeof PROXY_SERVERS)[number];

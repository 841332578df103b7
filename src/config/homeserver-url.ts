import type { Config } from './schema.js';

/** The homeserver this server stands beside, or `null`: tokens of users go nowhere unless the dialect is matrix. */
export function homeserverUrlOf({ dialect, auth }: Config): string | null {
  return dialect === 'matrix' ? auth.homeserver_url : null;
}

/** Whether users of a homeserver are to be expected, while there is none to ask about their tokens. */
export function lacksHomeserver(config: Config): boolean {
  const asksForTokens = config.listeners.some(({ resources }) =>
    resources.some((name) => name === 'previews' || name === 'media'),
  );
  return config.dialect === 'matrix' && asksForTokens && config.auth.homeserver_url === null;
}

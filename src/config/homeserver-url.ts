import type { Config } from './schema.js';

/** The homeserver this server stands beside, or `null`: tokens of users go nowhere unless the dialect is matrix. */
export function homeserverUrlOf({ dialect, auth }: Config): string | null {
  return dialect === 'matrix' ? auth.homeserver_url : null;
}

/** Whether a homeserver is to be expected, while none is named to ask about users' tokens and about our name. */
export function lacksHomeserver({ dialect, auth }: Config): boolean {
  return dialect === 'matrix' && auth.homeserver_url === null;
}

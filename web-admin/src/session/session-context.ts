import { createContext, useContext } from 'react';

import type { SessionState } from './session-client.js';

export interface Session extends SessionState {
  /** Reads the session again, e.g. after signing in or out. */
  reload: () => Promise<void>;
}

export const SessionContext = createContext<Session | null>(null);

/** What the server says about this browser's session. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('no session outside the gate');
  return session;
}

import { createContext, useContext } from 'react';

/** Where the server is, for everything that sends requests. */
export interface Backend {
  /** Path of the UI without a slash at its end. */
  basePath: string;
}

export const BackendContext = createContext<Backend>({ basePath: '' });

/** The path this UI lives under. */
export function useBackend(): Backend {
  return useContext(BackendContext);
}

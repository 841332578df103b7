import { createContext, useContext } from 'react';

import type { ViewerQuery } from '../gql/graphql.js';

export type Viewer = NonNullable<ViewerQuery['viewer']>;

export const ViewerContext = createContext<Viewer | null>(null);

/** Who is signed in. Only below the shell, where there always is someone. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (viewer === null) throw new Error('no viewer outside the shell');
  return viewer;
}

/** A command such as `keys generate` as it is typed for the running service: with its program and configuration. */
export function useCommand(): (words: string) => string {
  const { program, commandOptions: options } = useViewer();
  return (words) => [program, words, options].filter((part) => part !== '').join(' ');
}

/** True when this viewer may run the mutation of that name; what is refused is not drawn. */
export function useCan(): (mutation: string) => boolean {
  const { can } = useViewer();
  return (mutation) => can.includes(mutation);
}

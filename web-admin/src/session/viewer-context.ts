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

/** True when this viewer may run the mutation of that name; what is refused is not drawn. */
export function useCan(): (mutation: string) => boolean {
  const { can } = useViewer();
  return (mutation) => can.includes(mutation);
}

import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import type { RequestError } from '../../api/request-error.js';
import { ErrorState } from './error-state.js';
import { SkeletonLines } from './section.js';

interface QueryViewProps<Data> {
  query: UseQueryResult<Data, RequestError>;
  children: (data: Data) => ReactNode;
  /** In place of the grey lines. */
  loading?: ReactNode;
}

/** Skeleton, error with Retry, or the data. Data already in view stays when a later read fails. */
export function QueryView<Data>({ query, children, loading }: QueryViewProps<Data>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <>{loading ?? <SkeletonLines />}</>;
}

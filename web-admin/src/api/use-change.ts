import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';

import { useBackend } from './backend-context.js';
import type { RequestError } from './request-error.js';
import { send } from './send.js';
import { useRefreshViews } from './use-refresh-views.js';

/**
 * Runs a mutation; afterwards every list and page in view is read again, so nothing stale stays on screen.
 * Expected failures are in the payload's `userErrors`; use `mutateAsync` and look at them.
 */
export function useChange<Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
): UseMutationResult<Data, RequestError, Variables> {
  const { basePath } = useBackend();
  const refreshViews = useRefreshViews();
  return useMutation<Data, RequestError, Variables>({
    mutationFn: (variables) => send(basePath, document, { variables }),
    onSettled: refreshViews,
  });
}

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';

import { Failure, toFailure } from './failure.js';
import { readFailure } from './read-failure.js';

/** What the build leaves of a document: its id and name. */
interface TrustedDocument {
  id: string;
  name: string;
}

/** The operation's name, e.g. for query keys. */
export function nameOf<Data, Variables>(document: TypedDocumentNode<Data, Variables>): string {
  return (document as unknown as TrustedDocument).name;
}

/**
 * Runs one trusted operation: POST JSON {id, operationName, variables} to our own server with the session's cookie.
 * Resolves to `data`; throws a Failure when the answer carries errors, is not JSON, or does not come.
 */
export async function send<Data, Variables>(
  basePath: string,
  document: TypedDocumentNode<Data, Variables>,
  { variables, signal }: { variables: Variables; signal?: AbortSignal },
): Promise<Data> {
  const { id, name } = document as unknown as TrustedDocument;
  const response = await fetch(`${basePath}/api/graphql`, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ id, operationName: name, variables }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Failure('NETWORK', 'The server cannot be reached', { requestId: null });
  });
  const answer = (await response.json().catch(() => null)) as { data?: Data; errors?: unknown } | null;
  if (answer?.errors !== undefined || answer?.data === undefined || answer.data === null)
    throw readFailure(response, answer?.errors);
  return answer.data;
}

/** True when trying again by itself makes sense: a fault on the way, a server not ready, or asked too often. */
export function isPassing(error: unknown): boolean {
  return ['NETWORK', 'NOT_READY', 'TIMED_OUT', 'RATE_LIMITED'].includes(toFailure(error).code);
}

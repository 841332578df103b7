import type { TypedDocumentNode } from '@graphql-typed-document-node/core';

import { readRequestError, RequestError, toRequestError } from './request-error.js';

/** What the build leaves of a document. `name` is the operation's, e.g. for query keys. */
export function trusted(document: object): { id: string; name: string } {
  if (!('id' in document) || !('name' in document))
    throw new Error('this document did not go through the build');
  return { id: String(document.id), name: String(document.name) };
}

export interface SendOptions<Variables> {
  variables: Variables;
  signal?: AbortSignal;
  /** How long the answer may take; without it, as long as it takes. */
  limitMs?: number;
}

/**
 * Runs one trusted operation. Resolves to `data`; throws a RequestError when the answer carries errors, is not JSON, or
 * does not come.
 */
export async function send<Data, Variables>(
  basePath: string,
  document: TypedDocumentNode<Data, Variables>,
  { variables, signal, limitMs }: SendOptions<Variables>,
): Promise<Data> {
  const limits = [signal, limitMs === undefined ? undefined : AbortSignal.timeout(limitMs)];
  const response = await post(basePath, document, {
    variables,
    accept: 'application/json',
    signal: AbortSignal.any(limits.filter((each) => each !== undefined)),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new RequestError('NETWORK', 'The server cannot be reached');
  });
  return dataOf(response, await response.json().catch(() => null));
}

interface PostOptions<Variables> {
  variables: Variables;
  accept: string;
  signal: AbortSignal;
}

/** POST JSON {id, operationName, variables} to our own server with the session's cookie. */
export function post<Data, Variables>(
  basePath: string,
  document: TypedDocumentNode<Data, Variables>,
  { variables, accept, signal }: PostOptions<Variables>,
): Promise<Response> {
  const { id, name } = trusted(document);
  return fetch(`${basePath}/api/graphql`, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ id, operationName: name, variables }),
    signal,
  });
}

/** The server checks a trusted document's answer against the schema that `Data` was made from. */
export interface Answer<Data> {
  data?: Data | null;
  errors?: unknown;
}

/** The `data` of an answer; throws a RequestError when it carries errors, is not JSON, or has none. */
export function dataOf<Data>(response: Response, answer: Answer<Data> | null): Data {
  if (answer?.errors !== undefined || answer?.data === undefined || answer.data === null)
    throw readRequestError(response, answer?.errors);
  return answer.data;
}

/** True when trying again by itself makes sense: an error on the way, a server not ready, or asked too often. */
export function isPassing(error: unknown): boolean {
  return ['NETWORK', 'NOT_READY', 'TIMED_OUT', 'RATE_LIMITED'].includes(toRequestError(error).code);
}

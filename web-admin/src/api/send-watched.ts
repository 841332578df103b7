import type { TypedDocumentNode } from '@graphql-typed-document-node/core';

import type { TraceStepFragment } from '../gql/graphql.js';
import { eventsOf } from './events-of.js';
import { RequestError } from './request-error.js';
import { dataOf, post, type Answer } from './send.js';

/** A stage of a running operation: one of both. */
export interface Stage {
  began?: { name: string; title: string; startedAtMs: number };
  ended?: TraceStepFragment;
}

export interface WatchOptions<Variables> {
  variables: Variables;
  /** Aborting it ends the work on the server, too. */
  signal: AbortSignal;
  onStage: (stage: Stage) => void;
}

/**
 * Runs one trusted operation whose stages come as server-sent events (EventSource cannot send a body). Resolves to its
 * `data`; throws a RequestError as `send` does.
 */
export async function sendWatched<Data, Variables>(
  basePath: string,
  document: TypedDocumentNode<Data, Variables>,
  { variables, signal, onStage }: WatchOptions<Variables>,
): Promise<Data> {
  let response: Response;
  let answer: Answer<Data> | null;
  try {
    response = await post(basePath, document, {
      variables,
      accept: 'text/event-stream, application/json',
      signal,
    });
    answer = await readAnswer<Data>(response, onStage);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new RequestError('NETWORK', 'The server cannot be reached');
  }
  return dataOf(response, answer);
}

async function readAnswer<Data>(
  response: Response,
  onStage: (stage: Stage) => void,
): Promise<Answer<Data> | null> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!isStream || response.body === null) return response.json().catch(() => null);
  let answer: Answer<Data> | null = null;
  for await (const { event, data } of eventsOf(response.body)) {
    if (event !== 'next') continue;
    const result: Answer<Data> & { extensions?: { stage?: Stage } } = JSON.parse(data);
    if (result.extensions?.stage === undefined) answer = result;
    else onStage(result.extensions.stage);
  }
  return answer;
}

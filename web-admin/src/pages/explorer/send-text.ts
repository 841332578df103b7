import { RequestError } from '../../api/request-error.js';

/** An operation as somebody wrote it. */
export interface FreeOperation {
  query: string;
  variables: Record<string, unknown>;
  operationName: string | null;
}

/** What came back: data, errors or both, whatever the status. */
export interface FreeAnswer {
  status: number;
  ms: number;
  body: unknown;
}

/** Sends an operation by its text, with the session's cookie, as all pages do. Throws when no answer comes. */
export async function sendText(
  basePath: string,
  operation: FreeOperation,
  signal: AbortSignal,
): Promise<FreeAnswer> {
  const beganMs = performance.now();
  try {
    const response = await fetch(`${basePath}/api/graphql`, {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(operation),
      signal,
    });
    const body: unknown = await response.json();
    return { status: response.status, ms: performance.now() - beganMs, body };
  } catch (error) {
    if (signal.aborted) throw error;
    throw new RequestError('NETWORK', 'The server cannot be reached');
  }
}

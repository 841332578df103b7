import { Buffer } from 'node:buffer';

/** A log or witness did not give a usable answer. Nothing is proved by that. */
export class UnavailableError extends Error {
  constructor(
    message: string,
    readonly reason: 'network' | 'status' | 'too_large' | 'unsigned',
  ) {
    super(message);
  }
}

/** An HTTP request to an address that the operator chose. */
export interface HttpRequest {
  url: URL;
  /** Sent by POST as plain text; absent: GET. */
  body?: string;
  maxBodyBytes: number;
  timeoutMs: number;
  /** Cancels the request. */
  signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  status: number;
  body: Buffer;
}

/** Sends a request; redirects are not followed. Throws `UnavailableError`, with `too_large` for a longer body. */
export async function sendRequest({
  url,
  body,
  maxBodyBytes,
  timeoutMs,
  signal,
}: HttpRequest): Promise<HttpResponse> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      ...(body === undefined
        ? {}
        : { method: 'POST', body, headers: { 'Content-Type': 'text/plain; charset=utf-8' } }),
    });
    return { status: response.status, body: await readBody(response, maxBodyBytes) };
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    const why = timeout.aborted ? `no complete answer within ${timeoutMs} ms` : causeOf(error);
    throw new UnavailableError(`${url.href}: ${why}`, 'network');
  }
}

async function readBody({ body, url }: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early cancels the stream and closes the connection.
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new UnavailableError(`${url} has more than ${maxBytes} bytes`, 'too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** `fetch` hides the reason of a failed connection in the error's cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError) return causeOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : error.message;
}

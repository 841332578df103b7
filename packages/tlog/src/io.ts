import { Buffer } from 'node:buffer';
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A log or witness did not give a usable answer. This proves nothing. */
export class UnavailableError extends Error {
  constructor(
    message: string,
    readonly reason: 'network' | 'status' | 'too_large' | 'unsigned',
  ) {
    super(message);
  }
}

export interface RequestTiming {
  timeoutMs: number;
  signal?: AbortSignal;
}

/**
 * Sends a body by POST as plain text, or else a GET, to an address that the operator chose; redirects are not followed.
 * Throws `UnavailableError`, with `too_large` for a longer answer.
 */
export async function sendRequest(
  url: URL,
  { body, maxBodyBytes, timeoutMs, signal }: RequestTiming & { body?: string; maxBodyBytes: number },
): Promise<{ status: number; body: Buffer }> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.any([timeout, ...(signal === undefined ? [] : [signal])]),
      ...(body === undefined ? {} : { method: 'POST', body }),
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

/** Reads below the address of a log; `null`: 404. Rejects with `UnavailableError`. */
export type ReadPath = (path: string, maxBytes: number) => Promise<Buffer | null>;

const TIMEOUT_MS = 30_000;

/** Reads a log over HTTP. `url` is the part before `/checkpoint`. */
export function remoteLog(url: URL): ReadPath {
  return async (path, maxBodyBytes) => {
    const full = new URL(`${url.href.replace(/\/+$/, '')}/${path}`);
    const { status, body } = await sendRequest(full, { maxBodyBytes, timeoutMs: TIMEOUT_MS });
    if (status === 200) return body;
    if (status === 404) return null;
    throw new UnavailableError(`${full.href} answered with status ${status}`, 'status');
  };
}

export const isTooLarge = (error: unknown): boolean =>
  error instanceof UnavailableError && error.reason === 'too_large';

const DURABLE = { mode: 0o600, flush: true } as const;

/** Writes a file, mode 0600, durably and so that a crash leaves either the old or the new content. */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.new`;
  try {
    await writeFile(unfinished, text, DURABLE);
    await rename(unfinished, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Writes a new file, mode 0600, durably. Rejects with `EEXIST` when there is one. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  await writeFile(path, text, { ...DURABLE, flag: 'wx' });
  await syncFolder(dirname(path));
}

/** Windows cannot sync folders. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const MAX_FILE_BYTES = 1024 * 1024;

/** Reads a file; `null`: there is none. One of more than 1 MiB reads as an empty one. */
export async function readTextFile(path: string): Promise<string | null> {
  try {
    return (await stat(path)).size > MAX_FILE_BYTES ? '' : await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    // Node names no path when it reads a folder.
    if (errorCode(error) === 'EISDIR') Object.assign(error as Error, { message: `${path} is a folder` });
    throw error;
  }
}

/** The system's code of a failure, such as `ENOENT`. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

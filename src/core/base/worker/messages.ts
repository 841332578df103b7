/** What one side asks of the other. `id` is the asker's own. */
export type Request =
  /** `body`: bytes to work on, unless they came in pieces before; `isLent`: the caller wants them back. */
  | { kind: 'call'; id: number; name: string; argument: unknown; body: Uint8Array | null; isLent: boolean }
  /** The next bytes of a body of so many in all, for the call of this id. */
  | { kind: 'piece'; id: number; sizeBytes: number; chunk: Uint8Array }
  /** The caller no longer waits for this call. */
  | { kind: 'cancel'; id: number }
  /** No more calls will come: end when those under way have. */
  | { kind: 'end' };

/** Says that calls are taken from now on. */
export const BEGUN = 'begun';

/** What became of a call, with the body that was lent for it; or what is known before it is done. */
export type Reply =
  | { id: number; interim: unknown }
  | { id: number; ok: true; value: unknown; body: Uint8Array | null }
  | { id: number; ok: false; error: SerializedError };

/** What is kept of an error on its way between threads, which would lose `code`. */
export interface SerializedError {
  message: string;
  stack: string | undefined;
  /** The system's code, such as `ENOSPC`; `null` for other errors. */
  code: string | null;
}

/** The error of the other thread as it is told. */
export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, code: null };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return { message: error.message, stack: error.stack, code };
}

/** An error that says what the other thread's did. */
export function errorOf({ message, stack, code }: SerializedError): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return code === null ? error : Object.assign(error, { code });
}

/** Bytes that came from the other thread, which they do as plain `Uint8Array`. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

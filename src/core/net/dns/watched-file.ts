import { open } from 'node:fs/promises';

import { SECOND_MS, type Clock } from '../../base/clock.js';

/** A small file of the system, as last read. */
export interface WatchedFileOptions<T> {
  path: string;
  parse: (text: string) => T;
  clock: Clock;
  maxBytes: number;
  /** Told once when the file cannot be read, or is longer than that; what was read before stays in use. */
  onError: (error: unknown) => void;
}

const LOOK_INTERVAL_MS = SECOND_MS;

/**
 * Reads a file when it is asked for and has changed; it looks once a second at most. No handle of the system is held,
 * and a file that is replaced, or reached over a link, is noticed as one that is written over. A missing file is empty.
 */
export class WatchedFile<T> {
  #value: T;
  #mark = '';
  #nextLookTs = 0;
  #looking: Promise<void> | null = null;
  #error = '';

  constructor(private readonly options: WatchedFileOptions<T>) {
    this.#value = options.parse('');
  }

  /** What the file says now. Never rejects. */
  async read(): Promise<T> {
    const nowTs = this.options.clock.now();
    // A clock set back must not keep an old file in use.
    const isDue = nowTs >= this.#nextLookTs || nowTs < this.#nextLookTs - LOOK_INTERVAL_MS;
    if (this.#looking === null && isDue) {
      this.#nextLookTs = nowTs + LOOK_INTERVAL_MS;
      this.#looking = this.#look().finally(() => (this.#looking = null));
    }
    await this.#looking;
    return this.#value;
  }

  async #look(): Promise<void> {
    try {
      const found = await readChanged(this.options, this.#mark);
      this.#error = '';
      if (found === null) return;
      this.#mark = found.mark;
      this.#value = this.options.parse(found.text);
    } catch (error) {
      const message = String(error);
      if (message !== this.#error) this.options.onError(message);
      this.#error = message;
    }
  }
}

const MISSING = 'missing';
/** Some file systems state no size. */
const ROOM_BYTES = 64 * 1024;

/** `null` when the file is as it was. */
async function readChanged(
  { path, maxBytes }: { path: string; maxBytes: number },
  known: string,
): Promise<{ mark: string; text: string } | null> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return known === MISSING ? null : { mark: MISSING, text: '' };
  try {
    const { ino, size, mtimeMs, ctimeMs } = await file.stat();
    const mark = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
    if (mark === known) return null;
    if (size > maxBytes) throw new Error(`${path} is longer than ${maxBytes} bytes and is not read`);
    const room = Math.min(maxBytes, Math.max(size, ROOM_BYTES));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(room), 0, room, 0);
    return { mark, text: buffer.toString('utf8', 0, bytesRead) };
  } finally {
    await file.close();
  }
}

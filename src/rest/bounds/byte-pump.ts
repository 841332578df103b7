import type { ServerResponse } from 'node:http';

const CHUNK_BYTES = 256 * 1024;

/**
 * Writes bodies piece by piece, as fast as their clients read: one piece of one body in a turn of the event loop, so
 * that whatever else comes in waits for one at most.
 */
export class BytePump {
  /** Bodies whose client has taken the last piece, longest waiting first. */
  readonly #ready = new Set<() => void>();
  #isRunning = false;

  /** Resolves when all has been handed over, or the connection is closed; `onTaken` is told of each piece. */
  async write(
    response: ServerResponse,
    parts: readonly Buffer[],
    onTaken: (bytes: number) => void,
  ): Promise<void> {
    if (response.destroyed) return;
    const closed = new Promise<void>((resolve) => {
      response.once('close', resolve);
    });
    for (const chunk of chunksOf(parts)) {
      await Promise.race([this.#turn(), closed]);
      if (response.destroyed) return;
      if (!response.write(chunk)) await Promise.race([drained(response), closed]);
      onTaken(chunk.length);
    }
    response.end();
    await closed;
  }

  #turn(): Promise<void> {
    const turn = new Promise<void>((resolve) => {
      this.#ready.add(resolve);
    });
    this.#run();
    return turn;
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => {
      this.#isRunning = false;
      const [next] = this.#ready;
      if (next === undefined) return;
      this.#ready.delete(next);
      next();
      if (this.#ready.size > 0) this.#run();
    });
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
  });
}

/** The same bytes in pieces of one size; only here are they copied. */
function* chunksOf(parts: readonly Buffer[]): Generator<Buffer> {
  let chunk: Buffer[] = [];
  let bytes = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length;) {
      const piece = part.subarray(at, at + CHUNK_BYTES - bytes);
      chunk.push(piece);
      bytes += piece.length;
      at += piece.length;
      if (bytes < CHUNK_BYTES) continue;
      yield Buffer.concat(chunk, bytes);
      chunk = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield Buffer.concat(chunk, bytes);
}

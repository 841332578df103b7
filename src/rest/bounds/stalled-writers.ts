import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import { MINUTE_MS, type Clock } from '../../core/base/clock.js';

/** A client has to read 1 KiB a second, measured over a minute. */
const STALL_MS = MINUTE_MS;
const LEAST_BYTES = 60 * 1024;

/** Since when something has waited for its client all the time, and how far it was then. */
interface Progress {
  takenBytes: number;
  sinceTs: number;
}

/**
 * Resets connections whose client reads next to nothing of what waits for it. Looking at all connections now and then
 * costs less than a timer for each answer; Node's own time limit starts anew with each byte that the client sends.
 */
export class StalledWriters {
  readonly #watched = new Map<Socket, Progress | null>();

  constructor(
    private readonly clock: Clock,
    private readonly bounds: ReachedClientBounds,
  ) {}

  /** Watches a connection until it is closed. */
  watch(socket: Socket): void {
    this.#watched.set(socket, null);
    socket.once('close', () => this.#watched.delete(socket));
  }

  /** Looks at all of them; to be called now and then. */
  look(): void {
    const nowTs = this.clock.now();
    for (const [socket, before] of this.#watched) {
      // The end of a TLS connection is written, too, and counts as no byte of what waits.
      const isEnding = socket.writableEnded && !socket.writableFinished;
      if (socket.writableLength === 0 && !isEnding) {
        if (before !== null) this.#watched.set(socket, null);
        continue;
      }
      if (before !== null && nowTs - before.sinceTs < STALL_MS) continue;
      const takenBytes = bytesTaken(socket);
      this.#watched.set(socket, { takenBytes, sinceTs: nowTs });
      if (before === null || takenBytes - before.takenBytes >= LEAST_BYTES) continue;
      this.bounds.note('stalled', { client: socket.remoteAddress, unsent_bytes: socket.writableLength });
      reset(socket);
    }
  }
}

/** Bytes that the kernel has taken, those of the write under way too. */
function bytesTaken(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle !== 'object' || handle === null) return 0;
  const [begun, left] = [Reflect.get(handle, 'bytesWritten'), Reflect.get(handle, 'writeQueueSize')];
  return typeof begun === 'number' && typeof left === 'number' ? begun - left : 0;
}

/** Lets the kernel drop what it holds as well, where Node can. */
export function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

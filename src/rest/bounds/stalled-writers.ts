import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import { SECOND_MS, type Clock } from '../../core/base/clock.js';

/** What it is built from. */
export interface StalledWritersOptions {
  clock: Clock;
  /** Setting server.stall_timeout. */
  stallMs: number;
  /** Setting server.min_read_rate, bytes a second. */
  minReadRate: number;
  bounds: ReachedClientBounds;
}

/** Since when something has been waiting for its client all the time, and how far it was then. */
interface Progress {
  takenBytes: number;
  sinceTs: number;
}

/**
 * Resets connections whose client reads nothing, or next to nothing, of what we hold for it, whatever is being sent. A
 * look at all connections now and then costs less than a timer for each answer. Node's own time limit for sockets
 * starts anew with each byte that the client sends.
 */
export class StalledWriters {
  readonly #watched = new Map<Socket, Progress | null>();

  constructor(private readonly options: StalledWritersOptions) {}

  /** Watches a connection until it is closed. */
  watch(socket: Socket): void {
    this.#watched.set(socket, null);
    socket.once('close', () => this.#watched.delete(socket));
  }

  /** Looks at all of them; to be called now and then. */
  look(): void {
    const { clock, stallMs, minReadRate, bounds } = this.options;
    const nowTs = clock.now();
    const leastBytes = Math.max(1, (minReadRate * stallMs) / SECOND_MS);
    for (const [socket, before] of this.#watched) {
      // The end of a TLS connection is written, too, and counts as no byte of what waits.
      const isEnding = socket.writableEnded && !socket.writableFinished;
      if (socket.writableLength === 0 && !isEnding) {
        if (before !== null) this.#watched.set(socket, null);
        continue;
      }
      const now = { takenBytes: bytesTaken(socket), sinceTs: nowTs };
      if (before !== null && nowTs - before.sinceTs < stallMs) continue;
      this.#watched.set(socket, now);
      if (before === null || now.takenBytes - before.takenBytes >= leastBytes) continue;
      const unsent = socket.writableLength;
      bounds.note('stalled', { client: socket.remoteAddress, unsent_bytes: unsent });
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

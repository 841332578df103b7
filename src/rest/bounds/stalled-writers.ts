import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { ReachedClientBounds } from '../../core/base/places/reached-bounds.js';
import { SECOND_MS, type Clock } from '../../core/base/clock.js';

/** What it is built from. */
export interface StalledWritersOptions {
  clock: Clock;
  /** Setting server.stall_timeout. */
  stallMs: number;
  /** Setting server.min_read_rate, bytes a second. */
  minReadRate: number;
  /** Whether others wait for what this connection holds. */
  isPressed: (socket: Socket) => boolean;
  bounds: ReachedClientBounds;
}

/** Since when something has been waiting for its client all the time, and how far it was then. */
interface Progress {
  takenBytes: number;
  sinceTs: number;
}

const LOOK_INTERVAL_MS = 1000;
/** While others wait for its place. */
const PRESSED_STALL_MS = 10_000;
const PRESSED_RATE_FACTOR = 64;

/**
 * Resets connections whose client reads nothing, or next to nothing, of what we hold for it, whatever is being sent. A
 * look at all connections now and then costs less than a timer for each answer. Node's own time limit for sockets
 * starts anew with each byte that the client sends.
 */
export class StalledWriters {
  readonly #watched = new Map<Socket, Progress | null>();
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly options: StalledWritersOptions) {
    this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
  }

  /** Watches a connection until it is closed. */
  watch(socket: Socket): void {
    this.#watched.set(socket, null);
    socket.once('close', () => this.#watched.delete(socket));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowTs = this.options.clock.now();
    for (const [socket, before] of this.#watched) {
      if (socket.writableLength === 0) {
        if (before !== null) this.#watched.set(socket, null);
        continue;
      }
      const now = { takenBytes: bytesTaken(socket), sinceTs: nowTs };
      const limit = this.#limitOf(socket);
      if (before !== null && nowTs - before.sinceTs < limit.ms) continue;
      this.#watched.set(socket, now);
      if (before === null || now.takenBytes - before.takenBytes >= limit.bytes) continue;
      const unsent = socket.writableLength;
      this.options.bounds.note('stalled', { client: socket.remoteAddress, unsent_bytes: unsent });
      reset(socket);
    }
  }

  /** What must have been read after which time. */
  #limitOf(socket: Socket): { ms: number; bytes: number } {
    const { stallMs, minReadRate, isPressed } = this.options;
    const pressed = isPressed(socket);
    const ms = pressed ? Math.min(stallMs, PRESSED_STALL_MS) : stallMs;
    const rate = pressed ? minReadRate * PRESSED_RATE_FACTOR : minReadRate;
    return { ms, bytes: Math.max(1, (rate * ms) / SECOND_MS) };
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

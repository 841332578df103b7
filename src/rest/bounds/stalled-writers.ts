import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { ReachedClientBounds } from '../../core/base/places/reached-bounds.js';
import type { Clock } from '../../core/base/clock.js';

/** What it is built from. */
export interface StalledWritersOptions {
  clock: Clock;
  /** Setting server.stall_timeout. */
  stallMs: number;
  /** Whether others wait for what a stalled writer holds. */
  isPressed: () => boolean;
  bounds: ReachedClientBounds;
}

interface Progress {
  /** Bytes of writes that have ended. */
  written: number;
  /** Bytes left of the write under way. */
  left: number;
  sinceTs: number;
}

const LOOK_INTERVAL_MS = 1000;
/** While others wait for its place. */
const PRESSED_STALL_MS = 10_000;

/**
 * Resets connections whose client reads nothing of what we hold for him, whatever is being sent. A look at all
 * connections now and then costs less than a timer for each answer. Node's own time limit for sockets starts anew
 * with each byte that the client sends.
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
    const { stallMs, isPressed } = this.options;
    const limitMs = isPressed() ? Math.min(stallMs, PRESSED_STALL_MS) : stallMs;
    for (const [socket, before] of this.#watched) {
      const held = socket.writableLength;
      if (held === 0) {
        if (before !== null) this.#watched.set(socket, null);
        continue;
      }
      const written = socket.bytesWritten - held;
      const left = bytesLeft(socket);
      if (before === null || written > before.written || left < before.left) {
        this.#watched.set(socket, { written, left, sinceTs: nowTs });
      } else if (nowTs - before.sinceTs >= limitMs) {
        this.options.bounds.note('stalled', { client: socket.remoteAddress, unsent_bytes: held });
        reset(socket);
      }
    }
  }
}

/** Bytes that the kernel has not taken of the write under way; a long write shows no other progress. */
function bytesLeft(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle !== 'object' || handle === null) return 0;
  const left: unknown = Reflect.get(handle, 'writeQueueSize');
  return typeof left === 'number' ? left : 0;
}

/** Lets the kernel drop what it holds as well, where Node can. */
export function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

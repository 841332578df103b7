import { addressGroup } from '../../core/net/address/ip-address.js';
import { addCount } from '../../core/base/add-count.js';
import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import { SECOND_MS, type Clock } from '../../core/base/clock.js';
import type { Logger } from '../../core/base/logger.js';

const WINDOW_MS = 10 * SECOND_MS;
/** In one window. */
const MAX_LINES = 10_000;
const MAX_LINES_PER_CLIENT = 1000;

/** What a line is about: a request, or its use of a deprecated form; neither takes the other's lines. */
export type RequestLine = 'request' | 'deprecation';

/** Limits the lines of the log about requests: a line is five times as long as a small request and could fill a disk. */
export class RequestLines {
  readonly #windows = { request: emptyWindow(0), deprecation: emptyWindow(0) };

  constructor(
    private readonly clock: Clock,
    private readonly bounds: ReachedClientBounds,
    private readonly logger: Logger,
  ) {}

  /** Whether this client gets a line. */
  admit(address: string, kind: RequestLine = 'request'): boolean {
    const client = addressGroup(address);
    const window = this.#current(kind);
    const own = window.byClient.get(client) ?? 0;
    if (own >= Math.min(MAX_LINES_PER_CLIENT, MAX_LINES - window.lines)) {
      window.leftOut += 1;
      this.bounds.note('request_lines', { client: address });
      return false;
    }
    addCount(window.byClient, client, 1);
    window.lines += 1;
    return true;
  }

  #current(kind: RequestLine): Window {
    const nowTs = this.clock.now();
    const { sinceTs, leftOut } = this.#windows[kind];
    if (Math.abs(nowTs - sinceTs) >= WINDOW_MS) {
      if (leftOut > 0) this.logger.warn({ more: leftOut }, 'request lines left out');
      this.#windows[kind] = emptyWindow(nowTs);
    }
    return this.#windows[kind];
  }
}

interface Window {
  readonly byClient: Map<string, number>;
  readonly sinceTs: number;
  lines: number;
  leftOut: number;
}

const emptyWindow = (sinceTs: number): Window => ({ byClient: new Map(), sinceTs, lines: 0, leftOut: 0 });

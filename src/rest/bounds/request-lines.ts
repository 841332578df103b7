import { addressGroup } from '../../core/net/address/address-client.js';
import { addCount } from '../../core/base/add-count.js';
import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import { SECOND_MS, type Clock } from '../../core/base/clock.js';

/** What it is built from. */
export interface RequestLinesOptions {
  clock: Clock;
  /** Setting log.max_request_lines. */
  maxPerClient: number;
  bounds: ReachedClientBounds;
  /** Told how many were left out, once their ten seconds are over and the next request comes. */
  onLeftOut: (more: number) => void;
}

const WINDOW_MS = 10 * SECOND_MS;
/** All clients together, in lines of one. */
const CLIENTS = 10;

/** What a line is about: a request, or its use of a deprecated form, of which none is to be lost for the former. */
export type RequestLine = 'request' | 'deprecation';

/**
 * Lines of the log about requests: a small request makes a line five times as long, so that they could fill a disk.
 * Of each kind so many for each client in ten seconds, and never more than are left of ten times as many for all.
 */
export class RequestLines {
  readonly #windows: Readonly<Record<RequestLine, Window>> = {
    request: { byClient: new Map(), lines: 0, leftOut: 0, sinceTs: 0 },
    deprecation: { byClient: new Map(), lines: 0, leftOut: 0, sinceTs: 0 },
  };

  constructor(private readonly options: RequestLinesOptions) {}

  /** Whether this client gets a line; what gets none is counted. */
  admit(address: string, kind: RequestLine = 'request'): boolean {
    const client = addressGroup(address);
    const { maxPerClient, bounds } = this.options;
    const window = this.#windows[kind];
    this.#renew(window);
    const own = window.byClient.get(client) ?? 0;
    if (own >= Math.min(maxPerClient, CLIENTS * maxPerClient - window.lines)) {
      window.leftOut += 1;
      bounds.note('request_lines', { client: address });
      return false;
    }
    addCount(window.byClient, client, 1);
    window.lines += 1;
    return true;
  }

  #renew(window: Window): void {
    const nowTs = this.options.clock.now();
    if (Math.abs(nowTs - window.sinceTs) < WINDOW_MS) return;
    if (window.leftOut > 0) this.options.onLeftOut(window.leftOut);
    window.byClient.clear();
    window.leftOut = 0;
    window.lines = 0;
    window.sinceTs = nowTs;
  }
}

/** Lines of ten seconds. */
interface Window {
  readonly byClient: Map<string, number>;
  lines: number;
  leftOut: number;
  sinceTs: number;
}

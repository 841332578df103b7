import { TokenBuckets } from '../../core/base/limits/rate-limit.js';
import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import { addressGroup } from '../../core/net/address/ip-address.js';
import type { Clock } from '../../core/base/clock.js';

/** 1,000 lines at once and 100 a second for one client, ten times as many for all. */
const OF_CLIENT = { burst: 1000, intervalMs: 10 };
const OF_ALL = { burst: 10_000, intervalMs: 1 };

/** What a line is about: a request, or its use of a deprecated form; neither takes the other's lines. */
type RequestLine = 'request' | 'deprecation';

/** Limits the lines of the log about requests: a line is five times as long as a small request and could fill a disk. */
export class RequestLines {
  readonly #buckets: Record<RequestLine, { ofClient: TokenBuckets; ofAll: TokenBuckets }>;

  constructor(
    clock: Clock,
    private readonly bounds: ReachedClientBounds,
  ) {
    const nowMs = (): number => clock.now();
    const buckets = () => ({
      ofClient: new TokenBuckets(OF_CLIENT, nowMs),
      ofAll: new TokenBuckets(OF_ALL, nowMs),
    });
    this.#buckets = { request: buckets(), deprecation: buckets() };
  }

  /** Whether this client gets a line. Nobody may have more than are left, so that others get one. */
  admit(address: string, kind: RequestLine = 'request'): boolean {
    const client = addressGroup(address);
    const { ofClient, ofAll } = this.#buckets[kind];
    const left = ofClient.left(client);
    if (left < 1 || OF_CLIENT.burst - left >= ofAll.left('')) {
      this.bounds.note('request_lines', { client: address });
      return false;
    }
    ofClient.spend(client);
    ofAll.spend('');
    return true;
  }
}

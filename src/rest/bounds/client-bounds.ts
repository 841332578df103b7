import { logBusy } from '../../core/base/errors/api-error.js';
import type { FairQueue } from '../../core/base/fair-queue.js';
import { readQueue } from '../../core/base/read-queue.js';
import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import type { Clock } from '../../core/base/clock.js';
import type { Metrics } from '../../core/base/metrics.js';
import { ClientConnections, LingeringConnections, StalledWriters } from './client-connections.js';
import { BodyBytes, UnsentBytes } from './held-bytes.js';
import { LargeAnswers } from './large-answers.js';
import { TokenBuckets } from '../../core/base/limits/rate-limit.js';
import { addressGroup } from '../../core/net/address/ip-address.js';

export interface ClientBoundsOptions {
  clock: Clock;
  metrics: Metrics;
  reached: ReachedClientBounds;
  maxConnections: number;
  /** Setting server.max_body_memory; an eighth of it for one client. */
  maxBodyBytes: number;
  /** Setting server.max_unsent_size; a quarter of it for one client, half of all that for large answers. */
  maxUnsentBytes: number;
}

const LOOK_INTERVAL_MS = 1000;
/** Reads of the log from the store. */
const LOG_READS = { maxRunning: 4, maxWaiting: 500 };

/** What clients may use up of all listeners together. */
export class ClientBounds {
  readonly reached: ReachedClientBounds;
  readonly connections: ClientConnections;
  readonly lingering = new LingeringConnections();
  readonly bodies: BodyBytes;
  readonly unsent: UnsentBytes;
  readonly largeAnswers: LargeAnswers;
  readonly stalled: StalledWriters;
  readonly logReads: FairQueue;
  readonly lines: RequestLines;
  readonly #timer: NodeJS.Timeout;

  constructor({ clock, metrics, reached, ...max }: ClientBoundsOptions) {
    this.reached = reached;
    this.lines = new RequestLines(clock, reached);
    this.connections = new ClientConnections(max.maxConnections, reached);
    const { maxBodyBytes: maxBytes } = max;
    this.bodies = new BodyBytes({ maxBytes, maxBytesPerClient: maxBytes / 8 }, reached);
    const unsent = { maxBytes: max.maxUnsentBytes / 2, maxBytesPerClient: max.maxUnsentBytes / 8 };
    this.unsent = new UnsentBytes(unsent, reached);
    this.largeAnswers = new LargeAnswers(unsent, { clock, bounds: reached, unsent: this.unsent });
    this.logReads = readQueue({
      ...LOG_READS,
      refused: logBusy,
      onDropped: (details) => reached.note('log_reads', details),
    });
    this.stalled = new StalledWriters(clock, reached);
    this.#timer = setInterval(() => {
      this.largeAnswers.look();
      this.stalled.look();
    }, LOOK_INTERVAL_MS).unref();
    metrics.observeClients(() => ({
      connections: this.connections.open,
      bodyBytes: this.bodies.bytes,
      unsentBytes: this.unsent.bytes,
      largeRunning: this.largeAnswers.load.running,
      largeWaiting: this.largeAnswers.load.waiting,
    }));
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

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

import { logBusy } from '../../core/base/errors/api-error.js';
import { FairQueue } from '../../core/base/fair-queue.js';
import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import type { Clock } from '../../core/base/clock.js';
import type { Metrics } from '../../core/base/metrics.js';
import {
  ClientConnections,
  LingeringConnections,
  RequestLines,
  StalledWriters,
} from './client-connections.js';
import { BodyBytes, LargeAnswers, UnsentBytes } from './held-bytes.js';

export interface ClientBoundsOptions {
  clock: Clock;
  metrics: Metrics;
  reached: ReachedClientBounds;
  maxConnections: number;
  /** Setting server.max_body_memory; an eighth of it for one client. */
  maxBodyBytes: number;
  /** Setting server.max_unsent_size; a quarter of it for one client. */
  maxUnsentBytes: number;
}

const LOOK_INTERVAL_MS = 1000;
const LOG_READS = { maxRunning: 4, maxWaiting: 500, maxWaitMs: 5000, refused: logBusy };

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
    const { maxUnsentBytes } = max;
    this.unsent = new UnsentBytes(
      { maxBytes: maxUnsentBytes, maxBytesPerClient: maxUnsentBytes / 4 },
      reached,
    );
    this.largeAnswers = new LargeAnswers(this.unsent, reached);
    this.logReads = new FairQueue({ ...LOG_READS, onLimit: reached.whenDropped('log_reads') });
    this.stalled = new StalledWriters(clock, reached);
    this.#timer = setInterval(() => this.stalled.look(), LOOK_INTERVAL_MS).unref();
    metrics.observeClients(() => ({
      connections: this.connections.open,
      bodyBytes: this.bodies.bytes,
      unsentBytes: this.unsent.bytes,
      largeRunning: this.largeAnswers.load.writing,
      largeWaiting: this.largeAnswers.load.waiting,
    }));
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

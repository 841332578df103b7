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

export type ClientBounds = ReturnType<typeof createClientBounds>;

/** What clients may use up of all listeners together. */
export function createClientBounds({ clock, metrics, reached, ...max }: ClientBoundsOptions) {
  const { maxBodyBytes, maxUnsentBytes } = max;
  const connections = new ClientConnections(max.maxConnections, reached);
  const bodies = new BodyBytes({ maxBytes: maxBodyBytes, maxBytesPerClient: maxBodyBytes / 8 }, reached);
  const unsent = new UnsentBytes(
    { maxBytes: maxUnsentBytes, maxBytesPerClient: maxUnsentBytes / 4 },
    reached,
  );
  const largeAnswers = new LargeAnswers(unsent, reached);
  const stalled = new StalledWriters(clock, reached);
  const timer = setInterval(() => stalled.look(), LOOK_INTERVAL_MS).unref();
  metrics.observeClients(() => ({
    connections: connections.open,
    bodyBytes: bodies.bytes,
    unsentBytes: unsent.bytes,
    largeRunning: largeAnswers.load.writing,
    largeWaiting: largeAnswers.load.waiting,
  }));
  return {
    reached,
    lines: new RequestLines(clock, reached),
    connections,
    lingering: new LingeringConnections(),
    bodies,
    unsent,
    largeAnswers,
    stalled,
    logReads: new FairQueue({ ...LOG_READS, onLimit: reached.whenDropped('log_reads') }),
    close: () => clearInterval(timer),
  };
}

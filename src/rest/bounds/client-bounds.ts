import { logBusy } from '../../core/base/errors/api-error.js';
import type { FairQueue } from '../../core/base/fair-queue.js';
import { readQueue } from '../../core/base/read-queue.js';
import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import type { Clock } from '../../core/base/clock.js';
import type { Metrics } from '../../core/base/metrics.js';
import { BodyBytes } from './body-bytes.js';
import { ClientConnections, type ConnectionLimits } from './client-connections.js';
import { LargeAnswers } from './large-answers.js';
import { LingeringConnections } from './lingering-connections.js';
import { RequestLines, type RequestLinesOptions } from './request-lines.js';
import { StalledWriters } from './stalled-writers.js';
import { UnsentBytes } from './unsent-bytes.js';

/** What the bounds of all listeners are built from. */
export interface ClientBoundsOptions extends ConnectionLimits {
  clock: Clock;
  metrics: Metrics;
  reached: ReachedClientBounds;
  /** Setting server.stall_timeout. */
  stallMs: number;
  /** Setting server.min_read_rate, bytes a second. */
  minReadRate: number;
  /** Settings server.max_body_memory and …_per_client. */
  maxBodyBytes: number;
  maxBodyBytesPerClient: number;
  /** Settings server.max_unsent_size and …_per_client: half for large answers, half for all others. */
  maxUnsentBytes: number;
  maxUnsentBytesPerClient: number;
  /** Settings server.max_waiting_answers and …_per_client. */
  maxWaitingAnswers: number;
  maxWaitingAnswersPerClient: number;
  /** Setting server.large_answer_turn. */
  largeAnswerTurnMs: number;
  /** Setting log.max_request_lines. */
  maxRequestLines: number;
  /** As in `RequestLinesOptions`. */
  onLinesLeftOut: RequestLinesOptions['onLeftOut'];
  /** Settings log.max_reads and log.max_waiting_reads. */
  maxLogReads: number;
  maxWaitingLogReads: number;
  /** Setting keys.max_answer_size: what a large answer may hold. */
  maxAnswerBytes: number;
}

const LOOK_INTERVAL_MS = 1000;

/** What clients may use up of the listeners, all of them together. */
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

  constructor(options: ClientBoundsOptions) {
    const { clock, metrics, reached, stallMs, minReadRate, maxAnswerBytes } = options;
    const { maxRequestLines: maxPerClient, onLinesLeftOut: onLeftOut } = options;
    this.lines = new RequestLines({ clock, maxPerClient, bounds: reached, onLeftOut });
    const maxBytes = Math.floor(options.maxUnsentBytes / 2);
    const maxBytesPerClient = Math.floor(options.maxUnsentBytesPerClient / 2);
    this.reached = reached;
    this.connections = new ClientConnections(options, reached);
    this.bodies = new BodyBytes(
      { maxBytes: options.maxBodyBytes, maxBytesPerClient: options.maxBodyBytesPerClient },
      reached,
    );
    this.unsent = new UnsentBytes({ maxBytes, maxBytesPerClient }, reached);
    const places = (bytes: number) => Math.max(1, Math.floor(bytes / maxAnswerBytes));
    this.largeAnswers = new LargeAnswers({
      maxWriting: places(maxBytes),
      maxWritingPerClient: places(maxBytesPerClient),
      maxWaiting: options.maxWaitingAnswers,
      maxWaitingPerClient: options.maxWaitingAnswersPerClient,
      turnMs: options.largeAnswerTurnMs,
      unsent: this.unsent,
      clock,
      bounds: reached,
    });
    this.logReads = readQueue({
      maxRunning: options.maxLogReads,
      maxWaiting: options.maxWaitingLogReads,
      refused: logBusy,
      onDropped: (details) => reached.note('log_reads', details),
    });
    this.stalled = new StalledWriters({ clock, stallMs, minReadRate, bounds: reached });
    this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
    metrics.observeClients(() => ({
      connections: this.connections.open,
      bodyBytes: this.bodies.bytes,
      unsentBytes: this.unsent.bytes,
      largeAnswers: this.largeAnswers.load,
    }));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    this.largeAnswers.look();
    this.stalled.look();
  }
}

import { setTimeout as delay } from 'node:timers/promises';

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import type { PlaceLoad } from './places/places.js';

/** What clients use up now. */
export interface ClientLoad {
  connections: number;
  bodyBytes: number;
  unsentBytes: number;
  largeAnswers: PlaceLoad;
}

/** What clients use up of the listeners. */
export function observeClients(load: () => ClientLoad, registers: Registry[]): void {
  gauge('vidimus_client_connections', 'Connections of clients', {
    registers,
    read: () => load().connections,
  });
  gauge('vidimus_body_bytes', 'Bytes of request bodies in memory', {
    registers,
    read: () => load().bodyBytes,
  });
  gauge(
    'vidimus_unsent_bytes',
    'Bytes of answers that clients have not read; key answers above 1 MB while they have a place excluded',
    {
      registers,
      read: () => load().unsentBytes,
    },
  );
  gauge('vidimus_large_answers_writing', 'Key answers above 1 MB on their way', {
    registers,
    read: () => load().largeAnswers.running,
  });
  gauge('vidimus_large_answers_waiting', 'Key answers above 1 MB that wait for their turn', {
    registers,
    read: () => load().largeAnswers.waiting,
  });
}

/** Access tokens that the homeserver decides about. */
export function observeTokens(load: () => PlaceLoad, registers: Registry[]): void {
  gauge('vidimus_tokens_asked', 'Access tokens that the homeserver is being asked about', {
    registers,
    read: () => load().running,
  });
  gauge('vidimus_tokens_waiting', 'Access tokens that wait until it can be asked about them', {
    registers,
    read: () => load().waiting,
  });
}

/** Look-ups of names. */
export function observeDnsLookups(load: () => PlaceLoad, registers: Registry[]): void {
  gauge('vidimus_dns_lookups_running', 'Look-ups of names under way, each with one socket', {
    registers,
    read: () => load().running,
  });
  gauge('vidimus_dns_lookups_waiting', 'Look-ups of names that wait for others to end', {
    registers,
    read: () => load().waiting,
  });
}

/** Key fetches. */
export function observeKeyFetches(load: () => PlaceLoad, registers: Registry[]): void {
  gauge('vidimus_key_fetches_running', 'Key fetches under way', { registers, read: () => load().running });
  gauge('vidimus_key_fetches_waiting', 'Key fetches that wait for their turn', {
    registers,
    read: () => load().waiting,
  });
}

/** How far the log is, and what it takes. */
export interface LogLoad {
  entries: number;
  mergeDelayMs: number;
  cachedBytes: number;
  witnessedEntries: number;
  unwitnessedMs: number;
}

/** How far the log is. */
export function observeLog(load: () => LogLoad, registers: Registry[]): void {
  gauge('vidimus_log_entries', 'Entries of the log', { registers, read: () => load().entries });
  gauge(
    'vidimus_log_merge_delay_seconds',
    'How long the first record that is not in the log has been waiting',
    {
      registers,
      read: () => load().mergeDelayMs / 1000,
    },
  );
  gauge(
    'vidimus_log_witnessed_entries',
    'Entries of the last checkpoint that reached the quorum of witnesses',
    {
      registers,
      read: () => load().witnessedEntries,
    },
  );
  gauge(
    'vidimus_log_unwitnessed_seconds',
    'How long there have been entries that no checkpoint with a quorum of witnesses covers',
    { registers, read: () => load().unwitnessedMs / 1000 },
  );
  gauge('vidimus_log_cache_bytes', 'Bytes of parts of the log held in memory', {
    registers,
    read: () => load().cachedBytes,
  });
}

/** A store that takes longer says nothing. */
const COUNT_TIMEOUT_MS = 500;

/** What waits to be delivered; a store that is away or silent says nothing, and is asked once at a time. */
export function observeOutbox(waiting: () => Promise<number>, registers: Registry[]): Gauge {
  let counting: Promise<number | null> | null = null;
  const count = () => {
    counting ??= waiting()
      .catch(() => null)
      .finally(() => {
        counting = null;
      });
    return Promise.race([counting, delay(COUNT_TIMEOUT_MS, null, { ref: false })]);
  };
  return new Gauge({
    name: 'vidimus_deliveries_waiting',
    help: 'What waits to be delivered to a webhook or command, over all instances',
    registers,
    async collect() {
      const counted = await count();
      if (counted === null) this.remove();
      else this.set(counted);
    },
  });
}

/** The cache of key records. */
export function observeKeyCache(size: () => { bytes: number; servers: number }, registers: Registry[]): void {
  gauge('vidimus_key_cache_bytes', 'Bytes of key records held in memory', {
    registers,
    read: () => size().bytes,
  });
  gauge('vidimus_key_cache_servers', 'Servers held in memory, those of which nothing is stored included', {
    registers,
    read: () => size().servers,
  });
}

/** A gauge that is read anew at each scrape. */
function gauge(name: string, help: string, of: { registers: Registry[]; read: () => number }): Gauge {
  return new Gauge({
    name,
    help,
    registers: of.registers,
    collect() {
      this.set(of.read());
    },
  });
}

/** A replica of the database. */
export function observeReplica(lagSeconds: () => number, registers: Registry[]): void {
  gauge(
    'vidimus_database_replica_lag_seconds',
    'Everything committed so long ago is on the replica of the database; NaN: that was never seen',
    { registers, read: lagSeconds },
  );
}

/** What is counted of what goes to other services: object storage, the collector of traces. */
export interface OutgoingMetrics {
  /** operation: put, get, head, delete, list; outcome: ok, absent, refused, away, timeout. */
  readonly mediaStoreRequests: Counter<'operation' | 'outcome'>;
  readonly mediaStoreSeconds: Histogram<'operation'>;
  /** Spans of traces; outcome: sent, failed. */
  readonly traceSpans: Counter<'outcome'>;
}

/** Those counters. */
export function outgoingMetrics(registers: Registry[]): OutgoingMetrics {
  return {
    mediaStoreRequests: new Counter({
      name: 'vidimus_media_store_requests_total',
      help: 'Requests to the object storage of media, by outcome',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    traceSpans: new Counter({
      name: 'vidimus_trace_spans_total',
      help: 'Spans of traces posted to the collector, by outcome; none without tracing.endpoint',
      labelNames: ['outcome'],
      registers,
    }),
    mediaStoreSeconds: new Histogram({
      name: 'vidimus_media_store_request_seconds',
      help: 'Seconds until the object storage of media had answered, without the time a file takes to be read',
      labelNames: ['operation'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
  };
}

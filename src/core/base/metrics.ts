import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

import {
  outgoingMetrics,
  observeClients,
  observeDnsLookups,
  observeReplica,
  observeKeyCache,
  observeKeyFetches,
  observeLog,
  observeOutbox,
  observeTokens,
  type ClientLoad,
  type LogLoad,
  type OutgoingMetrics,
} from './gauges.js';
import type { PlaceLoad } from './places/places.js';

/** The service's metrics. Labels are closed sets: never a host, a URL or a user. */
export interface Metrics extends OutgoingMetrics {
  readonly registry: Registry;
  readonly httpRequests: Counter<'route' | 'method' | 'code'>;
  readonly httpSeconds: Histogram<'route'>;
  /** form: all, one, batch, deprecated. */
  readonly keyQueries: Counter<'form'>;
  /** result: fresh, missed. */
  readonly keyLookups: Counter<'result'>;
  readonly keyFetches: Counter<'outcome' | 'reason'>;
  /** bound: asker, question, domain, address, host, total, waiting, pause. */
  readonly keyFetchBounds: Counter<'bound'>;
  /** Failed fetches from servers without rows of their own. */
  readonly keyFetchesCounted: Counter;
  /** bound: servers, bytes. */
  readonly keyRecordsNotStored: Counter<'bound'>;
  readonly signatures: Counter;
  readonly jobRuns: Counter<'job' | 'outcome'>;
  /** kind: what a run counted, such as media or previews. */
  readonly jobWork: Counter<'job' | 'kind'>;
  /** outcome: ok (absent names included), dns_failure, dns_timeout, dns_busy. */
  readonly dnsLookups: Counter<'outcome'>;
  /** bound: asker, domain, total, waiting. */
  readonly dnsBounds: Counter<'bound'>;
  /** bound: see ClientBound. */
  readonly clientBounds: Counter<'bound'>;
  readonly largeHandshakes: Counter;
  /** outcome: cosigned, refused, failed. */
  readonly logOffers: Counter<'outcome'>;
  /** outcome: see WitnessOutcome. */
  readonly witnessOffers: Counter<'outcome'>;
  /** result: memory, stored, made, failed, blocked, left. */
  readonly previewRequests: Counter<'result'>;
  /** refusal: denied (401, 403), unavailable (503). */
  readonly previewRefusals: Counter<'refusal'>;
  /** work: download, body, page, image; bound: asker, group, total, waiting. */
  readonly previewBounds: Counter<'work' | 'bound'>;
  /** Shows what of one kind of work for previews is under way at each scrape. */
  observePreviewWork(work: string, load: () => PlaceLoad): void;
  /** Shows what the cache of key records holds at each scrape. */
  observeKeyCache(size: () => { bytes: number; servers: number }): void;
  /** Shows the key fetches under way at each scrape. */
  observeKeyFetches(load: () => PlaceLoad): void;
  /** Shows the look-ups of names under way at each scrape. */
  observeDnsLookups(load: () => PlaceLoad): void;
  /** Shows at each scrape how far the replica of the database is behind, in seconds. */
  observeReplica(lagSeconds: () => number): void;
  /** Shows the access tokens that the homeserver is being asked about at each scrape. */
  observeTokens(load: () => PlaceLoad): void;
  /** Shows how far the log is at each scrape. */
  observeLog(load: () => LogLoad): void;
  /** channel: webhook, command, notary; outcome: done, retry, failed. */
  readonly deliveries: Counter<'channel' | 'outcome'>;
  /** Shows what waits to be delivered at each scrape. */
  observeOutbox(waiting: () => Promise<number>): void;
  /** Shows what clients use up of the listeners at each scrape. */
  observeClients(load: () => ClientLoad): void;
}

/** Creates all metrics in a registry of their own. */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'vidimus_build_info',
    help: 'Always 1; the version is a label',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  return {
    registry,
    ...httpMetrics(registers),
    ...keyMetrics(registers),
    ...keyBoundMetrics(registers),
    ...previewMetrics(registers),
    ...outgoingMetrics(registers),
    ...jobMetrics(registers),
    ...dnsMetrics(registers),
    ...witnessMetrics(registers),
    ...deliveryMetrics(registers),
    largeHandshakes: new Counter({
      name: 'vidimus_tls_too_large_total',
      help: 'Connections given up because the server sent too much for a TLS handshake',
      registers,
    }),
    observeKeyCache: (size) => observeKeyCache(size, registers),
    observeKeyFetches: (load) => observeKeyFetches(load, registers),
    observeDnsLookups: (load) => observeDnsLookups(load, registers),
    observeReplica: (lagSeconds) => observeReplica(lagSeconds, registers),
    observeTokens: (load) => observeTokens(load, registers),
    observeLog: (load) => observeLog(load, registers),
    observeClients: (load) => observeClients(load, registers),
  };
}

function deliveryMetrics(registers: Registry[]): Pick<Metrics, 'deliveries' | 'observeOutbox'> {
  return {
    deliveries: new Counter({
      name: 'vidimus_deliveries_total',
      help: 'Attempts to deliver to a webhook or command, or to ask another notary, by outcome',
      labelNames: ['channel', 'outcome'],
      registers,
    }),
    observeOutbox: (waiting) => void observeOutbox(waiting, registers),
  };
}

function httpMetrics(
  registers: Registry[],
): Pick<Metrics, 'httpRequests' | 'httpSeconds' | 'clientBounds' | 'previewRefusals'> {
  return {
    previewRefusals: new Counter({
      name: 'vidimus_preview_refusals_total',
      help: 'Requests for previews refused before the previewer had them',
      labelNames: ['refusal'],
      registers,
    }),
    httpRequests: new Counter({
      name: 'vidimus_http_requests_total',
      help: 'Answered HTTP requests',
      labelNames: ['route', 'method', 'code'],
      registers,
    }),
    httpSeconds: new Histogram({
      name: 'vidimus_http_request_seconds',
      help: 'Seconds from the request to the end of its answer',
      labelNames: ['route'],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
    clientBounds: new Counter({
      name: 'vidimus_client_bound_total',
      help: 'Connections and answers that waited, were refused or cut off, by the bound that was reached',
      labelNames: ['bound'],
      registers,
    }),
  };
}

function witnessMetrics(registers: Registry[]): Pick<Metrics, 'logOffers' | 'witnessOffers'> {
  return {
    logOffers: new Counter({
      name: 'vidimus_log_offers_total',
      help: 'Checkpoints of our log offered to its witnesses, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    witnessOffers: new Counter({
      name: 'vidimus_witness_offers_total',
      help: 'Checkpoints of other logs that were to be cosigned here, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
  };
}

function jobMetrics(registers: Registry[]): Pick<Metrics, 'jobRuns' | 'jobWork'> {
  return {
    jobRuns: new Counter({
      name: 'vidimus_job_runs_total',
      help: 'Runs of jobs by outcome; those of cleanup that found nothing to do included',
      labelNames: ['job', 'outcome'],
      registers,
    }),
    jobWork: new Counter({
      name: 'vidimus_job_work_total',
      help: 'What runs of jobs did, by job and kind; the kinds media and previews are deletions',
      labelNames: ['job', 'kind'],
      registers,
    }),
  };
}

function previewMetrics(
  registers: Registry[],
): Pick<Metrics, 'previewRequests' | 'previewBounds' | 'observePreviewWork'> {
  const loads = new Map<string, () => PlaceLoad>();
  const work = new Gauge({
    name: 'vidimus_preview_work',
    help: 'Downloads, pages and images of previews that run or wait for a place',
    labelNames: ['work', 'state'],
    registers,
    collect() {
      for (const [kind, load] of loads) {
        const { running, waiting } = load();
        this.set({ work: kind, state: 'running' }, running);
        this.set({ work: kind, state: 'waiting' }, waiting);
      }
    },
  });
  return {
    previewRequests: new Counter({
      name: 'vidimus_preview_requests_total',
      help: 'Previews asked for, by where the answer came from',
      labelNames: ['result'],
      registers,
    }),
    previewBounds: new Counter({
      name: 'vidimus_preview_bound_total',
      help: 'Work for previews that waited, or was refused ("waiting", or of the disk), by the bound that was reached',
      labelNames: ['work', 'bound'],
      registers,
    }),
    observePreviewWork: (kind, load) => {
      loads.set(kind, load);
      // The series is there from the start.
      work.set({ work: kind, state: 'running' }, 0);
    },
  };
}

function dnsMetrics(registers: Registry[]): Pick<Metrics, 'dnsLookups' | 'dnsBounds'> {
  return {
    dnsLookups: new Counter({
      name: 'vidimus_dns_lookups_total',
      help: 'Look-ups of names by outcome; those answered from memory are not counted',
      labelNames: ['outcome'],
      registers,
    }),
    dnsBounds: new Counter({
      name: 'vidimus_dns_bound_total',
      help: 'Look-ups of names that waited or were refused, by the bound that was reached',
      labelNames: ['bound'],
      registers,
    }),
  };
}

function keyMetrics(
  registers: Registry[],
): Pick<Metrics, 'keyQueries' | 'keyLookups' | 'keyFetches' | 'signatures'> {
  return {
    keyQueries: new Counter({
      name: 'vidimus_key_queries_total',
      help: 'Key queries by form; "deprecated" is the form with a key id in the path (SPEC §4.2)',
      labelNames: ['form'],
      registers,
    }),
    keyLookups: new Counter({
      name: 'vidimus_key_lookups_total',
      help: 'Servers looked up in key queries: fresh in what is stored, or missed and to be fetched',
      labelNames: ['result'],
      registers,
    }),
    keyFetches: new Counter({
      name: 'vidimus_key_fetch_total',
      help: 'Key fetches from origins by outcome and failure reason',
      labelNames: ['outcome', 'reason'],
      registers,
    }),
    signatures: new Counter({
      name: 'vidimus_key_signatures_total',
      help: 'Key records signed by this notary',
      registers,
    }),
  };
}

function keyBoundMetrics(
  registers: Registry[],
): Pick<Metrics, 'keyFetchBounds' | 'keyFetchesCounted' | 'keyRecordsNotStored'> {
  return {
    keyFetchBounds: new Counter({
      name: 'vidimus_key_fetch_bound_total',
      help: 'Key fetches that waited or were given up, by the bound that was reached; pause: a destination that only failed was paused',
      labelNames: ['bound'],
      registers,
    }),
    keyFetchesCounted: new Counter({
      name: 'vidimus_key_fetch_counted_total',
      help: 'Failed key fetches of unknown servers that left no row of their own',
      registers,
    }),
    keyRecordsNotStored: new Counter({
      name: 'vidimus_key_records_not_stored_total',
      help: 'Fetched key records kept in memory only, by the bound of their registrable domain',
      labelNames: ['bound'],
      registers,
    }),
  };
}

import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

import type { QueueLoad } from './fair-queue.js';

/** What is registered before it can be used. */
type Registered<Metric> = (registers: Registry[]) => Metric;

/** Gauges of a load that is read anew at each scrape: name, help, and which number of the load each shows. */
function gauges<Key extends string>(
  table: readonly (readonly [name: string, help: string, key: Key])[],
): Registered<(load: () => Readonly<Record<Key, number>>) => void> {
  return (registers) => (load) => {
    for (const [name, help, key] of table) {
      const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(load()[key]) });
    }
  };
}

/** What is under way of each kind of work for previews. */
function previewGauge(registers: Registry[]): (work: string, load: () => QueueLoad) => void {
  const loads = new Map<string, () => QueueLoad>();
  const gauge = new Gauge({
    name: 'vidimus_preview_work',
    help: 'Downloads, files, pages and images of previews that run or wait',
    labelNames: ['work', 'state'],
    registers,
    collect() {
      for (const [work, load] of loads) {
        const { running, waiting } = load();
        this.set({ work, state: 'running' }, running);
        this.set({ work, state: 'waiting' }, waiting);
      }
    },
  });
  return (work, load) => {
    loads.set(work, load);
    // The series is there from the start.
    gauge.set({ work, state: 'running' }, 0);
  };
}

function counter<Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
): Registered<Counter<Label>> {
  return (registers) => new Counter({ name, help, labelNames, registers });
}

/** A histogram of seconds. */
function seconds<Label extends string>(
  name: string,
  help: string,
  { labelNames, buckets }: { labelNames: readonly Label[]; buckets: number[] },
): Registered<Histogram<Label>> {
  return (registers) => new Histogram({ name, help, labelNames, buckets, registers });
}

/** Labels are closed sets: never a host, a URL or a user. Members that begin with `observe` are given what they read. */
const METRICS = {
  /** refusal: denied (401, 403), unavailable (503). */
  previewRefusals: counter('vidimus_preview_refusals_total', 'Preview requests refused before processing', [
    'refusal',
  ]),
  httpRequests: counter('vidimus_http_requests_total', 'Answered HTTP requests', ['route', 'method', 'code']),
  internalErrors: counter(
    'vidimus_internal_errors_total',
    'Requests answered with 500 because of an error of the program or its machine',
  ),
  httpSeconds: seconds('vidimus_http_request_seconds', 'Seconds from the request to the end of its answer', {
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
  }),
  /** bound: see ClientBound. */
  clientBounds: counter(
    'vidimus_client_bound_total',
    'Connections and answers that waited, were refused or cut off, by limit',
    ['bound'],
  ),
  /** What clients use up of the listeners; large answers are key answers above 1 MB. */
  observeClients: gauges([
    ['vidimus_client_connections', 'Connections of clients', 'connections'],
    ['vidimus_body_bytes', 'Bytes of request bodies in memory', 'bodyBytes'],
    [
      'vidimus_unsent_bytes',
      'Bytes of answers that clients have not read, without large answers',
      'unsentBytes',
    ],
    ['vidimus_large_answers_writing', 'Key answers above 1 MB being sent', 'largeRunning'],
    ['vidimus_large_answers_waiting', 'Key answers above 1 MB in the queue', 'largeWaiting'],
  ]),
  /** Access tokens that the homeserver decides about. */
  observeTokens: gauges([
    ['vidimus_tokens_asked', 'Access tokens being checked with the homeserver', 'running'],
    ['vidimus_tokens_waiting', 'Access tokens in the queue for the homeserver', 'waiting'],
  ]),

  /** form: all, one, batch, deprecated. */
  keyQueries: counter(
    'vidimus_key_queries_total',
    'Key queries by form; "deprecated" is the form with a key id in the path (SPEC §4.2)',
    ['form'],
  ),
  /** result: fresh, missed. */
  keyLookups: counter(
    'vidimus_key_lookups_total',
    'Servers in key queries: fresh (served from the store) or missed (to be fetched)',
    ['result'],
  ),
  keyFetches: (registers: Registry[]) => {
    const fetches = counter(
      'vidimus_key_fetch_total',
      'Key fetches from origins by outcome and failure reason',
      ['outcome', 'reason'],
    )(registers);
    // There before there is anything to count: an increase from nothing is none.
    for (const outcome of ['not_stored', 'store_unavailable', 'store_full'])
      fetches.inc({ outcome, reason: 'store' }, 0);
    return fetches;
  },
  signatures: counter('vidimus_key_signatures_total', 'Key records signed by this notary'),
  /** bound: asker (one client), address, total, waiting. */
  keyFetchBounds: counter(
    'vidimus_key_fetch_bound_total',
    'Key fetches that waited or were abandoned, by limit',
    ['bound'],
  ),
  keyFetchesCounted: counter(
    'vidimus_key_fetch_counted_total',
    'Failed key fetches of unknown servers that left no row of their own',
  ),
  /** bound: servers, bytes. */
  keyRecordsNotStored: counter(
    'vidimus_key_records_not_stored_total',
    'Fetched key records kept in memory only, by limit of their registrable domain',
    ['bound'],
  ),
  /** bound: domain, total. */
  alarmsDropped: counter(
    'vidimus_key_alarms_dropped_total',
    'Key alarms dropped because too many are unacknowledged, by limit',
    ['bound'],
  ),
  observeKeyCache: gauges([
    ['vidimus_key_cache_bytes', 'Bytes of key records held in memory', 'bytes'],
    [
      'vidimus_key_cache_servers',
      'Servers held in memory, those without a stored record included',
      'servers',
    ],
  ]),
  observeKeyFetches: gauges([
    ['vidimus_key_fetches_running', 'Key fetches in progress', 'running'],
    ['vidimus_key_fetches_waiting', 'Key fetches in the queue', 'waiting'],
  ]),

  /** result: memory, stored, made, failed, blocked, left. */
  previewRequests: counter('vidimus_preview_requests_total', 'Preview requests by source of the answer', [
    'result',
  ]),
  /** work: download, body, file, page, picture, disk; bound: asker, group, total, waiting. Downloads that wait for memory are of body. */
  previewBounds: counter('vidimus_preview_bound_total', 'Preview work that waited or was refused, by limit', [
    'work',
    'bound',
  ]),
  observePreviewWork: previewGauge,

  /** operation: put, get, head, delete, list; outcome: ok, absent, refused, away, timeout. */
  mediaStoreRequests: counter(
    'vidimus_media_store_requests_total',
    'Requests to the object storage of media, by outcome',
    ['operation', 'outcome'],
  ),
  mediaStoreSeconds: seconds(
    'vidimus_media_store_request_seconds',
    'Seconds until the object storage of media answered, excluding the transfer of the file',
    { labelNames: ['operation'], buckets: [0.005, 0.02, 0.1, 0.5, 2, 10] },
  ),

  jobRuns: counter(
    'vidimus_job_runs_total',
    'Job runs by outcome, including cleanup runs with nothing to do',
    ['job', 'outcome'],
  ),
  jobFailing: (registers: Registry[]) =>
    new Gauge({
      name: 'vidimus_job_failing',
      help: '1 if the last finished run of the job failed, 0 otherwise',
      labelNames: ['job'],
      registers,
    }),
  /** kind: what a run counted, such as media or previews. */
  jobWork: counter(
    'vidimus_job_work_total',
    'Objects that job runs processed, by job and kind; media and previews count deletions',
    ['job', 'kind'],
  ),

  /** outcome: ok (absent names included), dns_failure, dns_timeout, dns_busy. */
  dnsLookups: counter(
    'vidimus_dns_lookups_total',
    'Name look-ups by outcome, excluding those answered from memory',
    ['outcome'],
  ),
  /** bound: asker, domain, total, waiting. */
  dnsBounds: counter('vidimus_dns_bound_total', 'Name look-ups that waited or were refused, by limit', [
    'bound',
  ]),
  observeDnsLookups: gauges([
    ['vidimus_dns_lookups_running', 'Name look-ups in progress, each with one socket', 'running'],
    ['vidimus_dns_lookups_waiting', 'Name look-ups in the queue', 'waiting'],
  ]),
  largeHandshakes: counter(
    'vidimus_tls_too_large_total',
    'Connections closed because the server sent too much for a TLS handshake',
  ),

  /** outcome: cosigned, refused, failed. */
  logOffers: counter(
    'vidimus_log_offers_total',
    'Checkpoints of our log offered to its witnesses, by outcome',
    ['outcome'],
  ),
  /** How far the log is, and what it takes. */
  observeLog: gauges([
    ['vidimus_log_entries', 'Entries of the log', 'entries'],
    [
      'vidimus_log_merge_delay_seconds',
      'Age of the oldest record that is not in the log',
      'mergeDelaySeconds',
    ],
    ['vidimus_log_witnessed_entries', 'Entries of the last checkpoint with a quorum', 'witnessedEntries'],
    ['vidimus_log_unwitnessed_seconds', 'Age of the oldest entry without a quorum', 'unwitnessedSeconds'],
    ['vidimus_log_cache_bytes', 'Bytes of parts of the log held in memory', 'cachedBytes'],
  ]),

  /** outcome: delivered, failed, or dropped after an hour. */
  deliveries: counter('vidimus_deliveries_total', 'Attempts to send an alarm to the webhook, by outcome', [
    'outcome',
  ]),
};

type MetricTable = { readonly [Name in keyof typeof METRICS]: ReturnType<(typeof METRICS)[Name]> };

/** The service's metrics. */
export interface Metrics extends MetricTable {
  readonly registry: Registry;
}

/** At the default of 10, looking at the event loop takes 6.5 ms of each second of an idle server. */
const LAG_SAMPLE_MS = 50;

/** Creates all metrics in a registry of their own. */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
  new Gauge({
    name: 'vidimus_build_info',
    help: 'Always 1; the version is a label',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  const made = Object.entries(METRICS).map(([name, register]) => [name, register(registers)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of just that table
  return { ...(Object.fromEntries(made) as MetricTable), registry };
}

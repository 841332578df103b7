import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

import {
  clientGauges,
  dnsGauges,
  keyCacheGauges,
  keyFetchGauges,
  logGauges,
  previewGauge,
  tokenGauges,
  type Registered,
} from './gauges.js';

function counter<Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
): Registered<Counter<Label>> {
  return (registers) => new Counter({ name, help, labelNames, registers });
}

/** A counter of which some series are there before there is anything to count: an increase from nothing is none. */
function countingFromZero<Label extends string>(
  counted: Registered<Counter<Label>>,
  series: readonly Record<Label, string>[],
): Registered<Counter<Label>> {
  return (registers) => {
    const metric = counted(registers);
    for (const labels of series) metric.inc(labels, 0);
    return metric;
  };
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
  previewRefusals: counter(
    'vidimus_preview_refusals_total',
    'Requests for previews refused before the previewer had them',
    ['refusal'],
  ),
  httpRequests: counter('vidimus_http_requests_total', 'Answered HTTP requests', ['route', 'method', 'code']),
  internalErrors: counter(
    'vidimus_internal_errors_total',
    'Requests answered with 500 for an error of the program or of its machine, not of a site or a client',
  ),
  httpSeconds: seconds('vidimus_http_request_seconds', 'Seconds from the request to the end of its answer', {
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
  }),
  /** bound: see ClientBound. */
  clientBounds: counter(
    'vidimus_client_bound_total',
    'Connections and answers that waited, were refused or cut off, by the bound that was reached',
    ['bound'],
  ),
  observeClients: clientGauges,
  observeTokens: tokenGauges,

  /** form: all, one, batch, deprecated. */
  keyQueries: counter(
    'vidimus_key_queries_total',
    'Key queries by form; "deprecated" is the form with a key id in the path (SPEC §4.2)',
    ['form'],
  ),
  /** result: fresh, missed. */
  keyLookups: counter(
    'vidimus_key_lookups_total',
    'Servers looked up in key queries: fresh in what is stored, or missed and to be fetched',
    ['result'],
  ),
  keyFetches: countingFromZero(
    counter('vidimus_key_fetch_total', 'Key fetches from origins by outcome and failure reason', [
      'outcome',
      'reason',
    ]),
    ['not_stored', 'store_unavailable', 'store_full'].map((outcome) => ({ outcome, reason: 'store' })),
  ),
  signatures: counter('vidimus_key_signatures_total', 'Key records signed by this notary'),
  /** bound: asker, question, domain, address, host, total, waiting, pause, failures. */
  keyFetchBounds: counter(
    'vidimus_key_fetch_bound_total',
    'Key fetches that waited or were given up, by the bound that was reached; pause: a destination that only failed was paused; failures: one that answers, for too many of them',
    ['bound'],
  ),
  keyFetchesCounted: counter(
    'vidimus_key_fetch_counted_total',
    'Failed key fetches of unknown servers that left no row of their own',
  ),
  /** bound: servers, bytes. */
  keyRecordsNotStored: counter(
    'vidimus_key_records_not_stored_total',
    'Fetched key records kept in memory only, by the bound of their registrable domain',
    ['bound'],
  ),
  /** bound: domain, total. */
  alarmsDropped: counter(
    'vidimus_key_alarms_dropped_total',
    'Alarms of keys that gave way, since as many wait to be acknowledged as may, by the bound that was reached',
    ['bound'],
  ),
  observeKeyCache: keyCacheGauges,
  observeKeyFetches: keyFetchGauges,

  /** result: memory, stored, made, failed, blocked, left. */
  previewRequests: counter(
    'vidimus_preview_requests_total',
    'Previews asked for, by where the answer came from',
    ['result'],
  ),
  /** work: download, body, file, page, image, disk; bound: asker, group, total, waiting. Downloads that wait for memory are of body. */
  previewBounds: counter(
    'vidimus_preview_bound_total',
    'Work for previews that waited, or was refused ("waiting", or of the disk), by the bound that was reached',
    ['work', 'bound'],
  ),
  observePreviewWork: previewGauge,

  /** operation: put, get, head, delete, list; outcome: ok, absent, refused, away, timeout. */
  mediaStoreRequests: counter(
    'vidimus_media_store_requests_total',
    'Requests to the object storage of media, by outcome',
    ['operation', 'outcome'],
  ),
  mediaStoreSeconds: seconds(
    'vidimus_media_store_request_seconds',
    'Seconds until the object storage of media had answered, without the time a file takes to be read',
    { labelNames: ['operation'], buckets: [0.005, 0.02, 0.1, 0.5, 2, 10] },
  ),

  jobRuns: counter(
    'vidimus_job_runs_total',
    'Runs of jobs by outcome; those of cleanup that found nothing to do included',
    ['job', 'outcome'],
  ),
  jobFailing: (registers: Registry[]) =>
    new Gauge({
      name: 'vidimus_job_failing',
      help: 'Whether the last run of a job that ended, well or not, failed: 1 or 0',
      labelNames: ['job'],
      registers,
    }),
  /** kind: what a run counted, such as media or previews. */
  jobWork: counter(
    'vidimus_job_work_total',
    'What runs of jobs did, by job and kind; the kinds media and previews are deletions',
    ['job', 'kind'],
  ),

  /** outcome: ok (absent names included), dns_failure, dns_timeout, dns_busy. */
  dnsLookups: counter(
    'vidimus_dns_lookups_total',
    'Look-ups of names by outcome; those answered from memory are not counted',
    ['outcome'],
  ),
  /** bound: asker, domain, total, waiting. */
  dnsBounds: counter(
    'vidimus_dns_bound_total',
    'Look-ups of names that waited or were refused, by the bound that was reached',
    ['bound'],
  ),
  observeDnsLookups: dnsGauges,
  largeHandshakes: counter(
    'vidimus_tls_too_large_total',
    'Connections given up because the server sent too much for a TLS handshake',
  ),

  /** outcome: cosigned, refused, failed. */
  logOffers: counter(
    'vidimus_log_offers_total',
    'Checkpoints of our log offered to its witnesses, by outcome',
    ['outcome'],
  ),
  observeLog: logGauges,

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
  const made = Object.entries(METRICS).map(([name, register]) => [name, register(registers)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of just that table
  return { ...(Object.fromEntries(made) as MetricTable), registry };
}

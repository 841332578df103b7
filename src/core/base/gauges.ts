import { Gauge, type Registry } from 'prom-client';

import type { QueueLoad } from './fair-queue.js';

/** What is registered before it can be used. */
export type Registered<Metric> = (registers: Registry[]) => Metric;

/** Gauges by name, help, and what each tells of a load that is read anew at each scrape. */
type GaugeTable<Load> = readonly (readonly [name: string, help: string, read: (load: Load) => number])[];

function gauges<Load>(table: GaugeTable<Load>): Registered<(load: () => Load) => void> {
  return (registers) => (load) => {
    for (const [name, help, read] of table) gauge({ name, help, read: () => read(load()) }, registers);
  };
}

function gauge(
  { name, help, read }: { name: string; help: string; read: () => number },
  registers: Registry[],
): Gauge {
  return new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}

/** What clients use up of the listeners. */
export const clientGauges = gauges<{
  connections: number;
  bodyBytes: number;
  unsentBytes: number;
  largeAnswers: QueueLoad;
}>([
  ['vidimus_client_connections', 'Connections of clients', ({ connections }) => connections],
  ['vidimus_body_bytes', 'Bytes of request bodies in memory', ({ bodyBytes }) => bodyBytes],
  [
    'vidimus_unsent_bytes',
    'Bytes of answers that clients have not read; key answers above 1 MB while they have a place excluded',
    ({ unsentBytes }) => unsentBytes,
  ],
  [
    'vidimus_large_answers_writing',
    'Key answers above 1 MB on their way',
    ({ largeAnswers }) => largeAnswers.running,
  ],
  [
    'vidimus_large_answers_waiting',
    'Key answers above 1 MB that wait for their turn',
    ({ largeAnswers }) => largeAnswers.waiting,
  ],
]);

/** Access tokens that the homeserver decides about. */
export const tokenGauges = gauges<QueueLoad>([
  [
    'vidimus_tokens_asked',
    'Access tokens that the homeserver is being asked about',
    ({ running }) => running,
  ],
  [
    'vidimus_tokens_waiting',
    'Access tokens that wait until it can be asked about them',
    ({ waiting }) => waiting,
  ],
]);

export const dnsGauges = gauges<QueueLoad>([
  [
    'vidimus_dns_lookups_running',
    'Look-ups of names under way, each with one socket',
    ({ running }) => running,
  ],
  ['vidimus_dns_lookups_waiting', 'Look-ups of names that wait for others to end', ({ waiting }) => waiting],
]);

export const keyFetchGauges = gauges<QueueLoad>([
  ['vidimus_key_fetches_running', 'Key fetches under way', ({ running }) => running],
  ['vidimus_key_fetches_waiting', 'Key fetches that wait for their turn', ({ waiting }) => waiting],
]);

/** How far the log is, and what it takes. */
export const logGauges = gauges<{
  entries: number;
  mergeDelayMs: number;
  cachedBytes: number;
  witnessedEntries: number;
  unwitnessedMs: number;
}>([
  ['vidimus_log_entries', 'Entries of the log', ({ entries }) => entries],
  [
    'vidimus_log_merge_delay_seconds',
    'How long the first record that is not in the log has been waiting',
    ({ mergeDelayMs }) => mergeDelayMs / 1000,
  ],
  [
    'vidimus_log_witnessed_entries',
    'Entries of the last checkpoint that reached the quorum of witnesses',
    ({ witnessedEntries }) => witnessedEntries,
  ],
  [
    'vidimus_log_unwitnessed_seconds',
    'How long there have been entries that no checkpoint with a quorum of witnesses covers',
    ({ unwitnessedMs }) => unwitnessedMs / 1000,
  ],
  ['vidimus_log_cache_bytes', 'Bytes of parts of the log held in memory', ({ cachedBytes }) => cachedBytes],
]);

export const keyCacheGauges = gauges<{ bytes: number; servers: number }>([
  ['vidimus_key_cache_bytes', 'Bytes of key records held in memory', ({ bytes }) => bytes],
  [
    'vidimus_key_cache_servers',
    'Servers held in memory, those of which nothing is stored included',
    ({ servers }) => servers,
  ],
]);

/** What is under way of each kind of work for previews. */
export function previewGauge(registers: Registry[]): (work: string, load: () => QueueLoad) => void {
  const loads = new Map<string, () => QueueLoad>();
  const gauge = new Gauge({
    name: 'vidimus_preview_work',
    help: 'Downloads, files, pages and images of previews that run or wait for a place',
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

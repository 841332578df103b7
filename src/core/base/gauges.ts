import { Gauge, type Registry } from 'prom-client';

import type { QueueLoad } from './fair-queue.js';

/** What is registered before it can be used. */
export type Registered<Metric> = (registers: Registry[]) => Metric;

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

/** What clients use up of the listeners; large answers are key answers above 1 MB. */
export const clientGauges = gauges([
  ['vidimus_client_connections', 'Connections of clients', 'connections'],
  ['vidimus_body_bytes', 'Bytes of request bodies in memory', 'bodyBytes'],
  [
    'vidimus_unsent_bytes',
    'Bytes of answers that clients have not read, without large answers',
    'unsentBytes',
  ],
  ['vidimus_large_answers_writing', 'Key answers above 1 MB on their way', 'largeRunning'],
  ['vidimus_large_answers_waiting', 'Key answers above 1 MB in the queue', 'largeWaiting'],
]);

/** Access tokens that the homeserver decides about. */
export const tokenGauges = gauges([
  ['vidimus_tokens_asked', 'Access tokens that the homeserver is being asked about', 'running'],
  ['vidimus_tokens_waiting', 'Access tokens in the queue for the homeserver', 'waiting'],
]);

export const dnsGauges = gauges([
  ['vidimus_dns_lookups_running', 'Look-ups of names under way, each with one socket', 'running'],
  ['vidimus_dns_lookups_waiting', 'Look-ups of names in the queue', 'waiting'],
]);

export const keyFetchGauges = gauges([
  ['vidimus_key_fetches_running', 'Key fetches under way', 'running'],
  ['vidimus_key_fetches_waiting', 'Key fetches in the queue', 'waiting'],
]);

/** How far the log is, and what it takes. */
export const logGauges = gauges([
  ['vidimus_log_entries', 'Entries of the log', 'entries'],
  ['vidimus_log_merge_delay_seconds', 'Age of the oldest record that is not in the log', 'mergeDelaySeconds'],
  ['vidimus_log_witnessed_entries', 'Entries of the last checkpoint with a quorum', 'witnessedEntries'],
  ['vidimus_log_unwitnessed_seconds', 'Age of the oldest entry without a quorum', 'unwitnessedSeconds'],
  ['vidimus_log_cache_bytes', 'Bytes of parts of the log held in memory', 'cachedBytes'],
]);

export const keyCacheGauges = gauges([
  ['vidimus_key_cache_bytes', 'Bytes of key records held in memory', 'bytes'],
  ['vidimus_key_cache_servers', 'Servers held in memory, those without a stored record included', 'servers'],
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

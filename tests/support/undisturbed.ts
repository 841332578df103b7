import { existsSync, readFileSync, readdirSync } from 'node:fs';

/**
 * How long work took, in milliseconds, without the time in which a thread of these processes was ready to run and
 * others had the processor, as Linux counts it; at least the processor time of this process. What waits for anything
 * else, such as an answer or its turn, counts in full.
 */
export async function undisturbedMs(work: () => Promise<unknown>, pids = [process.pid]): Promise<number> {
  const startMs = performance.now();
  const cpu = process.cpuUsage();
  const delayedMs = sumOf(pids, delayMs);
  await work();
  const { user, system } = process.cpuUsage(cpu);
  const tookMs = performance.now() - startMs - (sumOf(pids, delayMs) - delayedMs);
  return Math.max(tookMs, (user + system) / 1000);
}

/** The middle one. */
export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Infinity;
}

function delayMs(pid: number): number {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(folder)) return 0;
  return sumOf(readdirSync(folder), (task) => {
    // Time on a processor, time of waiting for one (ns), and how often.
    const [, waitedNs = '0'] = readFileSync(`${folder}/${task}/schedstat`, 'utf8').split(' ');
    return Number(waitedNs) / 1e6;
  });
}

function sumOf<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((sum, value) => sum + of(value), 0);
}

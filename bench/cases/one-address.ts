import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startKeyWorld, type KeyWorld } from '../support/key-world.js';
import { formatNumber, type ReportLine } from '../support/report.js';
import { startVidimus } from '../support/vidimus-process.js';
import { fetchAll } from './first-fetch.js';

const SERVERS = 10_000;
/** A question is answered after four seconds with what has come. */
const QUESTION = 100;
const ROUNDS = 1;
const LEAST_SPEED = 0.8;
/** Nobody is held back for anybody else. */
const UNBOUNDED = {
  max_concurrent_fetches: 4096,
  max_concurrent_fetches_per_asker: 4096,
  max_concurrent_fetches_per_query: 4096,
  max_concurrent_fetches_per_domain: 4096,
  first_connections: 4096,
};

interface Run {
  ms: number;
  cpuMs: number;
  records: number;
}

/** Ten thousand good servers behind one address, asked for in questions of a hundred: with our bounds and without. */
export async function benchOneAddress(folder: string): Promise<ReportLine[]> {
  return [await measure(folder, 100), await measure(folder, 1)];
}

async function measure(folder: string, domains: number): Promise<ReportLine> {
  const hosts = Array.from({ length: SERVERS + 1 }, (_, at) => `matrix-${at}.host-${at % domains}.example`);
  const runs: Record<'bounded' | 'unbounded', Run[]> = { bounded: [], unbounded: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [kind, federation] of [
      ['bounded', {}],
      ['unbounded', UNBOUNDED],
    ] as const) {
      const own = join(folder, `${kind}-${domains}-${round}`);
      mkdirSync(own);
      const world = await startKeyWorld((pem) => {
        writeFileSync(join(own, 'ca.pem'), pem);
        return join(own, 'ca.pem');
      }, hosts);
      try {
        runs[kind].push(await runOnce(own, world, federation));
      } finally {
        await world.end();
      }
    }
  }
  const [bounded, unbounded] = [best(runs.bounded), best(runs.unbounded)];
  const speed = unbounded.ms / bounded.ms;
  return {
    case: `first fetch of ${formatNumber(SERVERS)} servers at one address, ${domains} domains`,
    figures: {
      boundedMs: bounded.ms,
      unboundedMs: unbounded.ms,
      boundedCpuMs: bounded.cpuMs,
      unboundedCpuMs: unbounded.cpuMs,
      records: bounded.records,
    },
    text:
      `${formatNumber(bounded.ms)} ms (${formatNumber(bounded.cpuMs)} ms CPU), ` +
      `without bounds ${formatNumber(unbounded.ms)} ms (${formatNumber(unbounded.cpuMs)} ms CPU); ${bounded.records} records`,
    mark: `at least ${LEAST_SPEED} of the speed without bounds`,
    reached: speed >= LEAST_SPEED && bounded.records === SERVERS,
  };
}

async function runOnce(folder: string, world: KeyWorld, federation: object): Promise<Run> {
  const settings = {
    ...world.settings,
    federation: { ...(world.settings['federation'] as object), ...federation },
  };
  const vidimus = await startVidimus({ folder, settings });
  const run: Run = { ms: 0, cpuMs: 0, records: 0 };
  try {
    for (let asked = 0; asked < SERVERS; asked += QUESTION) {
      const fetched = await fetchAll(vidimus, world.take(QUESTION, 'explicit'), world.keyId);
      run.ms += fetched.ms;
      run.cpuMs += fetched.cpuMs ?? 0;
      run.records += fetched.records;
    }
    return run;
  } finally {
    await vidimus.stop();
  }
}

/** Other programs of the machine only ever add to it. */
const best = (runs: readonly Run[]): Run =>
  runs.toSorted((a, b) => a.ms - b.ms)[0] ?? { ms: 0, cpuMs: 0, records: 0 };

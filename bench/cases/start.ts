import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { createLogger } from '../../src/core/base/logger.js';
import { migrate } from '../../src/core/store/migrate.js';
import { fillScale } from '../scale/fill.js';
import { endChild } from '../support/child.js';
import { median } from '../support/compare.js';
import { cutProfile, type CpuProfile } from '../support/cut-profile.js';
import { memoryParts } from '../support/memory-parts.js';
import { exactCpuMsOf, residentBytesOf } from '../support/process-usage.js';
import { profileParts } from '../support/profile-parts.js';
import { formatNumber, type ReportLine } from '../support/report.js';
import { startVidimus, type VidimusOptions } from '../support/vidimus-process.js';

const RECORDS = 100_000;
const STARTS = 10;
const JUST_READY_MS = 2000;
/** Until what was made for the start has been collected, and health has tried a preview. */
const IDLE_MS = 40_000;
const MB = 1024 * 1024;
const PROBE = fileURLToPath(new URL('../processes/heap-probe.cjs', import.meta.url));

/** Starts on a filled SQLite store: until ready, and what that and an idle server's memory are made of. */
export async function benchStart(folder: string): Promise<ReportLine[]> {
  const database = {
    engine: 'sqlite' as const,
    path: join(folder, 'vidimus.db'),
    synchronous: 'normal' as const,
  };
  await migrate(database, createLogger({ level: 'silent' }));
  await fillScale(database, RECORDS);
  const settings = {
    // A first start would put all records into it.
    log: { enabled: false },
    // There are rows of media, but no files.
    media_instance_running_background_jobs: 'nobody',
    jobs: { instance: 'bench' },
  };
  const options = { folder, settings };
  return [
    ...(await measureStarts(options)),
    ...(await measureParts(options)),
    ...(await measureMemory(options)),
  ];
}

async function measureStarts(options: VidimusOptions): Promise<ReportLine[]> {
  const all: { readyMs: number; cpuMs: number; rssMb: number }[] = [];
  // The first one makes keys.
  for (let turn = 0; turn <= STARTS; turn += 1) {
    const server = await startVidimus(options);
    const cpuMs = (await exactCpuMsOf(server.pid)) ?? 0;
    await sleep(JUST_READY_MS);
    const rssMb = ((await residentBytesOf(server.pid)) ?? 0) / MB;
    if (turn > 0) all.push({ readyMs: server.readyMs, cpuMs, rssMb });
    await server.stop();
  }
  return [
    lineOf(
      'start until ready, processor time',
      all.map(({ cpuMs }) => cpuMs),
      'ms',
    ),
    lineOf(
      'start until ready',
      all.map(({ readyMs }) => readyMs),
      'ms',
    ),
    lineOf(
      'memory two seconds later (RSS)',
      all.map(({ rssMb }) => rssMb),
      'MB',
    ),
  ];
}

/** Of the main thread, until the first answer that it is ready. */
async function measureParts(options: VidimusOptions): Promise<ReportLine[]> {
  const profiles = join(options.folder, 'profiles');
  mkdirSync(profiles);
  const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${profiles}`, '--cpu-prof-interval=200'];
  const server = await startVidimus({ ...options, nodeOptions });
  const untilUs = Number(process.hrtime.bigint() / 1000n);
  await server.stop();
  const read = (file: string) => JSON.parse(readFileSync(join(profiles, file), 'utf8')) as CpuProfile;
  const main = readdirSync(profiles)
    .map(read)
    .toSorted((one, other) => one.startTime - other.startTime)[0];
  if (main === undefined) throw new Error('the server wrote no profile');
  return profileParts(cutProfile(main, 0, untilUs)).map(([part, share]) =>
    lineOf(`  of the main thread until then: ${part}`, [100 * share], '%'),
  );
}

/** Beside a bare Node. */
async function measureMemory(options: VidimusOptions): Promise<ReportLine[]> {
  const heaps = join(options.folder, 'heaps');
  mkdirSync(heaps);
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
  const env = { VIDIMUS_BENCH_HEAPS: heaps };
  const server = await startVidimus({ ...options, env, nodeOptions: ['--require', PROBE] });
  try {
    await sleep(IDLE_MS);
    const parts = memoryParts(server.pid, heaps);
    const bareParts = memoryParts(bare.pid ?? 0, null);
    const sum = (of: Map<string, number>) => [...of.values()].reduce((all, bytes) => all + bytes, 0);
    const rows: [string, number, number][] = [['idle memory (RSS)', sum(parts), sum(bareParts)]];
    for (const [part, bytes] of [...parts].toSorted(([, one], [, other]) => other - one))
      rows.push([`  of it: ${part}`, bytes, bareParts.get(part) ?? 0]);
    return rows.map(([name, bytes, bareBytes]) => {
      const text = `${formatNumber(bytes / MB)} MB; bare Node ${formatNumber(bareBytes / MB)} MB`;
      return { ...lineOf(name, [bytes / MB], 'MB'), text };
    });
  } finally {
    await Promise.all([server.stop(), endChild(bare)]);
  }
}

function lineOf(name: string, values: readonly number[], unit: 'ms' | 'MB' | '%'): ReportLine {
  const [least, middle, most] = [Math.min(...values), median(values), Math.max(...values)].map(formatNumber);
  const range = values.length === 1 ? '' : ` (${least} to ${most})`;
  return {
    case: name,
    figures: { [{ ms: 'ms', MB: 'mb', '%': 'percent' }[unit]]: median(values) },
    text: `${middle} ${unit}${range}`,
    mark: null,
    reached: null,
  };
}

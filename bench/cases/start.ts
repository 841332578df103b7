import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { median } from '../support/compare.js';
import { startPreviewServer, startPreviewWorld } from '../support/preview-world.js';
import { cpuMsOf, exactCpuMsOf, residentBytesOf } from '../support/process-usage.js';
import { formatNumber, type ReportLine } from '../support/report.js';
import type { Contestant } from '../support/turns.js';

const STARTS = 5;
/** Until what was made for the start has been collected. */
const IDLE_MS = 20_000;
const MB = 1024 * 1024;

interface Start {
  readyMs: number;
  startCpuMs: number;
  idleMb: number;
  /** With its thumbnails. */
  firstPreviewCpuMs: number;
}

/** Starts in turns: until ready, idle memory, and the very first preview, which loads most of what is loaded late. */
export async function measureStarts(
  folder: string,
  contestants: readonly Contestant[],
): Promise<ReportLine[]> {
  const world = await startPreviewWorld();
  const starts = contestants.map(({ name }) => ({ name, all: [] as Start[] }));
  try {
    for (let turn = 0; turn <= STARTS; turn += 1)
      for (const [at, contestant] of contestants.entries()) {
        const start = await startOnce(join(folder, `start-${contestant.name}`), contestant, world);
        // The first one makes keys and the database.
        if (turn > 0) starts[at]?.all.push(start);
      }
  } finally {
    await world.end();
  }
  return [
    lineOf('start: processor time until ready', 'ms', starts, ({ startCpuMs }) => startCpuMs),
    lineOf('start: until ready', 'ms', starts, ({ readyMs }) => readyMs),
    lineOf('idle memory (RSS)', 'MB', starts, ({ idleMb }) => idleMb),
    lineOf('very first preview: processor time', 'ms', starts, ({ firstPreviewCpuMs }) => firstPreviewCpuMs),
  ];
}

async function startOnce(
  folder: string,
  { settings = {}, program, nodeOptions }: Contestant,
  world: Awaited<ReturnType<typeof startPreviewWorld>>,
): Promise<Start> {
  mkdirSync(folder, { recursive: true });
  const server = await startPreviewServer({ folder, settings, program, ...(nodeOptions && { nodeOptions }) });
  try {
    const { pid, port, authorization, readyMs } = server;
    const startCpuMs = (await exactCpuMsOf(pid)) ?? 0;
    await sleep(IDLE_MS);
    const idleMb = ((await residentBytesOf(pid)) ?? 0) / MB;
    const before = (await cpuMsOf(pid)) ?? 0;
    const paths = world.take('page', 1);
    const { failed } = await world.load.run({ port, authorization, paths, atOnce: 1, durationMs: null });
    if (failed > 0) throw new Error('the first preview failed');
    await server.settle();
    return { readyMs, startCpuMs, idleMb, firstPreviewCpuMs: ((await cpuMsOf(pid)) ?? 0) - before };
  } finally {
    await server.stop();
  }
}

function lineOf(
  title: string,
  unit: string,
  starts: readonly { name: string; all: readonly Start[] }[],
  figure: (start: Start) => number,
): ReportLine {
  const medians = starts.map(({ name, all }) => ({ name, value: median(all.map(figure)) }));
  return {
    case: title,
    figures: Object.fromEntries(medians.map(({ name, value }) => [name, value])),
    text: medians.map(({ name, value }) => `${name} ${formatNumber(value)} ${unit}`).join(', '),
    mark: null,
    reached: null,
  };
}

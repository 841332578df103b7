import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startWorker } from '../support/child.js';
import { median, rateOf, slice, type Contestants } from '../support/compare.js';
import { startKeyWorld, type KeyWorld } from '../support/key-world.js';
import { formatNumber, type ReportLine } from '../support/report.js';
import { allKeys, batch, type BenchRequest } from '../support/requests.js';
import { startVidimus, type VidimusProcess } from '../support/vidimus-process.js';
import { fetchAll } from './first-fetch.js';

const SERVERS = 100;
const FIRST_FETCHES = 7;
const SLICES = 15;
const SLICE_MS = 700;
const MAX_SLOWER = 0.03;
const MAX_SLOWER_FETCH = 0.05;

interface Pair {
  on: VidimusProcess;
  off: VidimusProcess;
}

/** Key queries and first fetches of two servers in turns, one with the log and one without. */
export async function measureLogBesideKeys(folder: string): Promise<ReportLine[]> {
  const world = await startKeyWorld((pem) => {
    const path = join(folder, 'ca.pem');
    writeFileSync(path, pem);
    return path;
  });
  const start = (name: string, enabled: boolean) => {
    mkdirSync(join(folder, name));
    return startVidimus({ folder: join(folder, name), settings: { ...world.settings, log: { enabled } } });
  };
  const pair = { on: await start('on', true), off: await start('off', false) };
  try {
    const names = world.take(SERVERS, 'explicit');
    for (const server of [pair.on, pair.off]) await fetchAll(server, names, world.keyId);
    const lines = [await firstFetches(pair, world)];
    const question = batch(names, world.keyId, Date.now());
    const varying = { ...question, varying: question.body?.match(/\d{13}/)?.[0] ?? '' };
    lines.push(await cached(pair, 'GET all keys of 1 server', allKeys(names[0] ?? '')));
    lines.push(await cached(pair, 'POST 100 servers, the same question again', question));
    lines.push(await cached(pair, 'POST 100 servers, other minimums each time', varying));
    return lines;
  } finally {
    await Promise.all([pair.on.stop(), pair.off.stop(), world.end()]);
  }
}

async function firstFetches({ on, off }: Pair, world: KeyWorld): Promise<ReportLine> {
  const ratios: { ms: number; cpu: number }[] = [];
  for (let round = 0; round < FIRST_FETCHES; round += 1) {
    const order = round % 2 === 0 ? [on, off] : [off, on];
    const found = new Map<VidimusProcess, { ms: number; cpuMs: number | null }>();
    for (const server of order) {
      found.set(server, await fetchAll(server, world.take(SERVERS, 'explicit'), world.keyId));
    }
    const [withLog, without] = [found.get(on), found.get(off)];
    if (withLog === undefined || without === undefined) continue;
    ratios.push({ ms: withLog.ms / without.ms, cpu: (withLog.cpuMs ?? 1) / (without.cpuMs ?? 1) });
  }
  const ms = median(ratios.map((ratio) => ratio.ms)) - 1;
  const cpu = median(ratios.map((ratio) => ratio.cpu)) - 1;
  return {
    case: 'log on over log off: first fetch of 100 servers',
    figures: { ms, cpu },
    text: `${percent(ms)} time, ${percent(cpu)} CPU`,
    mark: 'at most 5 % more time',
    reached: ms <= MAX_SLOWER_FETCH,
  };
}

async function cached({ on, off }: Pair, title: string, request: BenchRequest): Promise<ReportLine> {
  const load: Contestants['load'] = startWorker('load');
  try {
    const ratios: { rate: number; cpu: number }[] = [];
    for (let round = 0; round <= SLICES; round += 1) {
      const job = { request, durationMs: SLICE_MS };
      const order = round % 2 === 0 ? [on, off] : [off, on];
      const slices = new Map<VidimusProcess, Awaited<ReturnType<typeof slice>>>();
      for (const server of order) slices.set(server, await slice(load, server, job));
      const [withLog, without] = [slices.get(on), slices.get(off)];
      // The first one warms up.
      if (round === 0 || withLog === undefined || without === undefined) continue;
      ratios.push({ rate: rateOf(withLog) / rateOf(without), cpu: cpuOf(withLog) / cpuOf(without) });
    }
    const rate = median(ratios.map((ratio) => ratio.rate)) - 1;
    const cpu = median(ratios.map((ratio) => ratio.cpu)) - 1;
    return {
      case: `log on over log off: ${title}`,
      figures: { rate, cpu },
      text: `${percent(cpu)} CPU a request, ${percent(rate)} rate`,
      mark: 'at most 3 % more CPU',
      reached: cpu <= MAX_SLOWER,
    };
  } finally {
    await load.end();
  }
}

/** CPU of the server for one request; rates tell little while others use the machine. */
function cpuOf({ cpuMs, requests }: { cpuMs: number | null; requests: number }): number {
  return (cpuMs ?? 1) / requests;
}

function percent(share: number): string {
  return `${share < 0 ? '−' : '+'}${formatNumber(Math.abs(share) * 100)} %`;
}

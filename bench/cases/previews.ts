import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { BareAnswer } from '../processes/bare-server.js';
import type { LoadJob, LoadOutcome } from '../processes/load.js';
import type { ProbeJob, ProbeOutcome } from '../processes/preview-probe.js';
import { startWorker } from '../support/child.js';
import { startKeyWorld, type KeyWorld } from '../support/key-world.js';
import {
  startPreviewServer,
  startPreviewWorld,
  type PreviewServer,
  type PreviewWorld,
} from '../support/preview-world.js';
import type { ReportLine } from '../support/report.js';
import { allKeys, batch, countRecords, send } from '../support/requests.js';
import { measureColdPreviews } from './preview-cold.js';
import { measureFirstPreview, measureManyPreviews } from './preview-first.js';
import { DISTURBANCES, measureNeighbours } from './preview-neighbours.js';
import { measureStoredPreviews, measureWarmPreview } from './preview-repeated.js';

const MANY = 1000;
const STORED = 450;

/** The preview half: cold, from memory, from the store, beside key queries, in large numbers. */
export async function benchPreviews(folder: string): Promise<ReportLine[]> {
  const keys = await startKeyWorld((pem) => {
    const path = join(folder, 'ca.pem');
    writeFileSync(path, pem);
    return path;
  });
  const world = await startPreviewWorld();
  const many = world.take('page', MANY);
  try {
    return [
      ...(await withServer(folder, keys.settings, (server) => measureMany(server, world, many))),
      ...(await withServer(folder, keys.settings, (server) => measureSpeed(server, world, { many, keys }))),
    ];
  } finally {
    await Promise.all([world.end(), keys.end()]);
  }
}

async function withServer(
  folder: string,
  settings: Record<string, unknown>,
  measure: (server: PreviewServer) => Promise<ReportLine[]>,
): Promise<ReportLine[]> {
  const server = await startPreviewServer({ folder, settings });
  try {
    return await measure(server);
  } finally {
    await server.stop();
  }
}

/** A thousand, in a server that has done nothing else, then how long cold ones take by now. */
async function measureMany(
  server: PreviewServer,
  world: PreviewWorld,
  many: string[],
): Promise<ReportLine[]> {
  const veryFirst = await measureFirstPreview(server, world);
  const memory = await measureManyPreviews(server, world, many);
  return [veryFirst, memory, ...(await measureColdPreviews(server, world))];
}

/** After a restart: what is stored, what is in memory by now, and key queries beside previews. */
async function measureSpeed(
  server: PreviewServer,
  world: PreviewWorld,
  { many, keys }: { many: readonly string[]; keys: KeyWorld },
): Promise<ReportLine[]> {
  const stored = many.slice(0, STORED);
  const lines = [await measureStoredPreviews(server, world, stored)];
  const bare = startWorker<BareAnswer, number>('bare-server');
  const load = startWorker<LoadJob, LoadOutcome>('load');
  const probe = startWorker<ProbeJob, ProbeOutcome>('preview-probe');
  try {
    lines.push(await measureWarmPreview(server, { bare, load }, stored[0] ?? ''));
    const [serverName = ''] = keys.take(1, 'discovered');
    const fetched = await send(server.port, batch([serverName], keys.keyId, Date.now()));
    if (countRecords(fetched) === 0) throw new Error('no key to ask for');
    const keyRequest = allKeys(serverName);
    const neighbours = { probe, keyPath: keyRequest.path };
    for (const disturbance of DISTURBANCES)
      lines.push(await measureNeighbours(server, world, neighbours, disturbance));
    return lines;
  } finally {
    await Promise.all([bare.end(), load.end(), probe.end()]);
  }
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { queryPlanning, type PlannedQuery } from '../../src/core/store/query-plans.js';
import { startVidimus, temporaryFolder, writeConfig } from '../cli/vidimus.js';
import { sampleImage } from '../core/preview/media/sample-images.js';
import { startPreviewKit, tagged } from '../rest/clients/preview/preview-kit.js';
import { loadMedia, mediaPath } from '../support/clients/preview-client.js';
import { postKey } from '../support/clients/notary-client.js';
import {
  createTestAuthority,
  startRemoteServer,
  type TestAuthority,
} from '../support/origins/remote-server.js';
import { page } from '../support/origins/remote-site.js';
import type { TestService } from '../support/service.js';
import { testEngines, type TestEngine } from '../support/store/databases.js';

const PROBE = fileURLToPath(new URL('../support/planned-queries.cjs', import.meta.url));
const FILE = 'prisma/known-queries.jsonl';
/** Longer than any job or memory waits. */
const LATER_MS = 40 * 24 * 3_600_000;

let authority: TestAuthority;
const known = new Set(readFileSync(FILE, 'utf8').trim().split('\n'));
/** Prisma gives equal values one parameter, so that a query has other texts when two values happen to be the same. */
const shapeOf = (query: string) => query.replaceAll(/"name":"%\d+"/g, '"name":"%"');
const knownShapes = new Set([...known].map(shapeOf));
const asked = new Set<string>();
/** Known, and yet compiled anew. */
const unplanned = new Set<string>();
let askedCount = 0;
const note = ({ query, isKnown }: PlannedQuery) => {
  askedCount += 1;
  asked.add(query);
  if (known.has(query) && !isKnown) unplanned.add(query);
};
const onPlanned = (message: unknown) => note(message as PlannedQuery);

beforeAll(async () => {
  authority = await createTestAuthority();
  subscribe(queryPlanning.name, onPlanned);
});
afterAll(async () => {
  unsubscribe(queryPlanning.name, onPlanned);
  await authority.remove();
});
beforeEach(() => (askedCount = 0));

/** What a server does by itself. */
async function work({ context, clock, url }: TestService): Promise<void> {
  const { jobs, operators } = context.services;
  const periodic = jobs.registry.definitions.filter(
    ({ everyMs, start }) => everyMs !== null && start !== null,
  );
  for (const afterMs of [0, LATER_MS]) {
    clock.advance(afterMs);
    for (const { name } of periodic) await (await jobs.registry.runNow(name, 'operator')).finished;
    await operators.overview.health();
    await fetch(`${url}/metrics`);
  }
}

it.each(testEngines())(
  'a server asks nothing on %s that it was not built for',
  async (engine: TestEngine) => {
    const kit = await startPreviewKit({ engine, caPaths: [authority.caPath] });
    const { service } = kit;
    const remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 3_600_000 });
    try {
      kit.serve('/view.png', page(await sampleImage(1600, 1000).png().toBuffer(), { type: 'image/png' }));
      kit.serve('/page', tagged({ 'og:title': 'T', 'og:image': '/view.png' }));
      const { body } = await kit.preview('/page');
      expect((await loadMedia(service, kit.token, body['og:image'])).status).toBe(200);
      const thumbnail = `${service.url}/_svc/media/v3/thumbnail/${mediaPath(body['og:image'])}?width=32&height=32`;
      const headers = { Authorization: `Bearer ${kit.token}` };
      expect((await fetch(thumbnail, { headers })).status).toBe(200);
      expect((await kit.preview('/missing')).status).toBe(502);
      expect((await postKey(service.url, remote.serverName)).records).toHaveLength(1);
      expect((await postKey(service.url, 'nobody.test')).records).toEqual([]);
      await work(service);
      await kit.restart();
      await kit.service.context.services.operators.overview.health();
    } finally {
      await kit.remove();
      await remote.origin.close();
    }
    expect(askedCount).toBeGreaterThan(50);
    expect([...unplanned]).toEqual([]);
  },
);

it('nor does one that is started by its command: for a trial, by a configuration, and once more', async () => {
  const folder = await temporaryFolder();
  const queries = join(folder.path, 'queries');
  const env = { VIDIMUS_TEST_QUERIES: queries, NODE_OPTIONS: `--require=${PROBE}` };
  const served = ['keys', 'previews', 'media', 'health', 'metrics', 'admin'];
  const listeners = [{ port: 0, bind_addresses: ['127.0.0.1'], resources: served }];
  const startOnce = async (args: string[], extra: Record<string, string> = {}) => {
    const running = startVidimus(['serve', ...args], { cwd: folder.path, env: { ...env, ...extra } });
    await running.log('ready');
    for (const path of ['/health/ready', '/metrics', '/_svc/key/v2/query/localhost'])
      await fetch(`${await running.url('keys')}${path}`);
    running.child.kill('SIGTERM');
    expect((await running.finished).code).toBe(0);
  };
  try {
    await startOnce([], { VIDIMUS__LISTENERS: JSON.stringify(listeners) });
    const args = ['--config', await writeConfig(folder.path, { listeners })];
    await startOnce(args);
    await startOnce(args);
    const lines = (await readFile(queries, 'utf8')).trim().split('\n');
    for (const line of lines) note(JSON.parse(line) as PlannedQuery);
  } finally {
    await folder.remove();
  }
  expect(askedCount).toBeGreaterThan(60);
  expect([...unplanned]).toEqual([]);
});

it(`${FILE} holds them all`, async () => {
  expect(asked.size).toBeGreaterThan(60);
  const unknown = [...asked].filter((query) => !knownShapes.has(shapeOf(query)));
  const lines = [...known, ...unknown].toSorted();
  // Written with `npx vitest run … -u`; `npm run generate` makes their plans.
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`../../${FILE}`);
});

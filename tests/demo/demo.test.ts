import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startVidimus, temporaryFolder, type Running } from '../cli/vidimus.js';
import { FROM_PAGE, cookieOf } from '../rest/operators/admin-kit.js';
import { SICKNESSES } from '../../demo/sicknesses.js';

const script = fileURLToPath(new URL('../../scripts/demo.mjs', import.meta.url));
/** Each sickness once, and as many healthy ones. */
const SERVERS = 2 * SICKNESSES.length;
const PREVIEWS = 60;
const START_MS = 120_000;
/** What the sicknesses are told as. */
const CAUSES = [
  'ADDRESS_BLOCKED',
  'BAD_RESPONSE',
  'BAD_SIGNATURE',
  'CONNECT_FAILED',
  'DNS_FAILED',
  'REMOTE_ERROR',
  'TIMED_OUT',
  'TLS_FAILED',
  'TOO_LARGE',
];

const LISTS = `{
  servers(first: 100) { nodes { needsLook lastFetch { errorCode } } }
  previews(first: 100) { totalCount { count } nodes { title } }
  blockHits(first: 10) { nodes { url } }
  previewRefusals { errcode }
}`;

interface Lists {
  servers: { nodes: { needsLook: boolean; lastFetch: { errorCode: string | null } | null }[] };
  previews: { totalCount: { count: number }; nodes: { title: string | null }[] };
  blockHits: { nodes: unknown[] };
  previewRefusals: unknown[];
}

/** Address of the pages and code, once they are printed. */
function invitation(demo: Running): Promise<[address: string, code: string]> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const [, address, code] = /(http:\S+)\/admin\/sign-in#code=(\S+)/.exec(demo.stdout()) ?? [];
      if (address !== undefined && code !== undefined) resolve([address, code]);
    };
    demo.child.stdout?.on('data', look);
    void demo.finished.then(() => reject(new Error(demo.stderr())));
  });
}

describe('npm run demo', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let demo: Running;
  let lists: Lists;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const numbers = ['--servers', String(SERVERS), '--previews', String(PREVIEWS)];
    demo = startVidimus(numbers, { cwd: folder.path, env: { TMPDIR: folder.path }, script });
    const [address, code] = await invitation(demo);
    const post = (path: string, body: object, headers: Record<string, string>) =>
      fetch(`${address}/admin/${path}`, {
        method: 'POST',
        headers: { ...FROM_PAGE, ...headers },
        body: JSON.stringify(body),
      });
    const cookie = cookieOf(await post('session', { code }, { origin: address }));
    const answer = await post('api/graphql', { query: LISTS }, { cookie });
    const { data, errors } = (await answer.json()) as { data: Lists; errors?: unknown };
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    lists = data;
  }, START_MS);

  afterAll(async () => {
    demo?.child.kill('SIGKILL');
    await demo?.finished;
    await folder?.remove();
  });

  it('lists servers of every sickness, replaced keys that need a look, and healthy ones', () => {
    const { nodes } = lists.servers;
    const causes = nodes.map(({ lastFetch }) => lastFetch?.errorCode);
    expect(nodes).toHaveLength(SERVERS);
    expect(causes).toEqual(expect.arrayContaining(CAUSES));
    expect(causes.filter((cause) => cause === null).length).toBeGreaterThanOrEqual(SICKNESSES.length);
    expect(nodes.filter(({ needsLook }) => needsLook)).toHaveLength(1);
  });

  it('lists previews, some made by asking for them, and what was refused', () => {
    expect(lists.previews.totalCount.count).toBeGreaterThan(PREVIEWS);
    expect(lists.previews.nodes.map(({ title }) => title)).toContain('Bees return to the meadow');
    expect(lists.blockHits.nodes.length).toBeGreaterThan(2);
    expect(lists.previewRefusals).not.toEqual([]);
  });

  it('ends with a signal, and leaves nothing', async () => {
    demo.child.kill('SIGINT');
    expect(await demo.finished).toMatchObject({ code: 0, signal: null });
    expect(await readdir(folder.path)).toEqual([]);
  });
});

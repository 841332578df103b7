import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase, testEngines, type TestDatabase } from '../../support/store/databases.js';
import { startVidimus, temporaryFolder, vidimus, writeConfig, type Running } from '../vidimus.js';

/** Five seconds, and what a busy machine adds. */
const LIMIT_MS = 6500;

describe.each(testEngines())('a token of a service on %s', (engine) => {
  let database: TestDatabase;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let running: Running;

  beforeAll(async () => {
    database = await createTestDatabase(engine);
    folder = await temporaryFolder();
    const { options } = database;
    await writeConfig(folder.path, {
      listeners: [{ port: 0, resources: ['previews'] }],
      database:
        options.engine === 'sqlite'
          ? { engine: 'sqlite', path: options.path }
          : { engine: 'postgresql', url: options.url, max_connections: 5 },
    });
    running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
    await running.log('ready');
  });
  afterAll(async () => {
    running.child.kill();
    await running.finished;
    await database.cleanup();
    await folder.remove();
  });

  const token = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await vidimus(['token', ...args, '-c', 'config.yaml'], {
      cwd: folder.path,
    });
    expect([code, stderr]).toEqual([0, expect.anything()]);
    return stdout;
  };

  it('that another process revoked is refused within five seconds', async () => {
    const made = await token('create', '--user', '@alice:notary.test', '--json');
    const { token: secret, id } = JSON.parse(made) as { token: string; id: string };
    const url = `${await running.url('previews')}/_svc/media/v3/preview_url`;
    // Without an address to preview: 400 for whoever may ask.
    const ask = async () => (await fetch(url, { headers: { Authorization: `Bearer ${secret}` } })).status;
    const used: number[] = [];
    // Used all the time, so that it is remembered at the moment it is revoked.
    const use = setInterval(() => void ask().then((status) => used.push(status)), 100);
    await expect.poll(() => used).toContain(400);
    expect(new Set(used)).toEqual(new Set([400]));
    await token('revoke', id);
    const revokedMs = performance.now();
    await expect.poll(() => used.at(-1), { timeout: 3 * LIMIT_MS, interval: 20 }).toBe(401);
    const tookMs = performance.now() - revokedMs;
    clearInterval(use);

    expect(tookMs).toBeLessThan(LIMIT_MS);
    expect(await ask()).toBe(401);
  });
});

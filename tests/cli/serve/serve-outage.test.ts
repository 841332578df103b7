import { beforeAll, describe, expect, it } from 'vitest';

import { testEngines } from '../../support/store/databases.js';
import { getKeys } from '../../support/clients/notary-client.js';
import { startPostgresServer } from '../../support/store/postgres-server.js';
import { startVidimus, temporaryFolder, vidimus, writeConfig } from '../vidimus.js';
import { setUp } from '../../support/set-up.js';

describe.runIf(testEngines().includes('postgresql'))('vidimus serve without its database', () => {
  const folder = setUp(temporaryFolder);
  const server = setUp(startPostgresServer);
  beforeAll(async () => {
    await server.stop();
  });

  it('starts, answers readiness with 503 and a sentence, and recovers by itself', async () => {
    await writeConfig(folder.path, { database: { engine: 'postgresql', url: server.url() } });
    const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
    await running.log('the database cannot be reached');
    const url = await running.url('health');

    const down = await fetch(`${url}/health/ready`);
    expect(down.status).toBe(503);
    expect(await down.text()).toMatch(/database cannot be reached/);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect((await getKeys(url, 'server')).status).toBe(503);

    await server.start();
    await running.log('ready');
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    expect((await getKeys(url, 'server')).status).toBe(200);

    running.child.kill('SIGTERM');
    expect(await running.finished).toMatchObject({ code: 0, stderr: '' });
  });

  it('ends with 1 and a sentence with --no-retry', async () => {
    await server.stop();
    await writeConfig(folder.path, { database: { engine: 'postgresql', url: server.url() } });

    const { code, stderr } = await vidimus(['serve', '--no-retry', '-c', 'config.yaml'], {
      cwd: folder.path,
    });

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^vidimus: Nothing answers at the address of the database: /),
    });
  });
});

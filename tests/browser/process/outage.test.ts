import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { vidimus, writeConfig } from '../../cli/vidimus.js';
import { testEngines } from '../../support/store/databases.js';
import { startPostgresServer, type PostgresServer } from '../../support/store/postgres-server.js';
import { findChromium } from '../support/chromium.js';
import { enterCode } from '../support/enter-code.js';
import { ALL_RESOURCES, invitation, setProcessStage } from './ui-of-process.js';

const canRun = findChromium() !== null && testEngines().includes('postgresql');

describe.skipIf(!canRun)('the pages of a service whose store is away', () => {
  const stage = setProcessStage();
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgresServer();
    await server.stop();
  });
  afterAll(() => server?.remove());

  it('name engine, error and two likely causes, and turn into the sign-in without a reload', async () => {
    const database = { engine: 'postgresql', url: server.url() };
    await writeConfig(stage.folder, { ...ALL_RESOURCES, database });
    const program = stage.start(['serve', '-c', 'config.yaml']);
    await program.log('the database cannot be reached');
    const visitor = await stage.visit(`${await program.url('admin')}/admin`);
    const { page } = visitor;
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await page.goto(`${visitor.base}/keys?state=DUE`);

    await page.getByRole('heading', { level: 1, name: 'Vidimus is not ready' }).waitFor();
    await page.getByRole('status').filter({ hasText: 'PostgreSQL: ' }).waitFor();
    await page.getByRole('status').filter({ hasText: 'connection refused' }).waitFor();
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      'The database server is not running, or still starting.',
      'database.url names another host or port than the server has.',
    ]);
    const shown = await page.getByRole('main').textContent();
    const { host, password } = new URL(server.url());
    for (const secret of [host, password]) expect(shown).not.toContain(secret);
    for (const theme of ['light', 'dark'] as const) {
      await visitor.wear(theme);
      expect({ theme, violations: await visitor.violations() }).toEqual({ theme, violations: [] });
    }

    await server.start();
    const { code } = await invitation(program);
    await page.getByLabel('One-time code').waitFor();
    await enterCode(visitor.page, code);
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    expect(loads).toBe(1);
    expect(page.url()).toBe(`${visitor.base}/keys?state=DUE`);
    visitor.repeatedFailures.length = 0;
  });

  it('are not there with --no-retry: the process ends with 1 and a sentence', async () => {
    await server.stop();
    await writeConfig(stage.folder, { database: { engine: 'postgresql', url: server.url() } });

    const { code, stderr } = await vidimus(['serve', '--no-retry', '-c', 'config.yaml'], {
      cwd: stage.folder,
    });

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^vidimus: Nothing answers at the address of the database: /),
    });
  });
});

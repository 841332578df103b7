import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { openDatabase } from '../../../src/core/store/db.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { startVidimus, temporaryFolder, writeConfig, type Running } from '../vidimus.js';
import { setUpEach } from '../../support/set-up.js';

const folder = setUpEach(temporaryFolder);
let running: Running;
beforeEach(async () => {
  await writeConfig(folder.path);
  running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
  await running.log('ready');
});
afterEach(async () => {
  running.child.kill('SIGKILL');
  await running.finished;
});

it('HUP applies what is live, names what waits for a restart, and the service goes on', async () => {
  const url = await running.url('health');
  await fetch(`${url}/health/live`);
  await running.log('request');
  await writeConfig(folder.path, { log: { requests: 'none' }, federation_domain_whitelist: ['a.test'] });
  running.child.kill('SIGHUP');

  expect(await running.log('configuration reloaded')).toMatchObject({
    applied: ['federation_domain_whitelist'],
    restart_needed: ['log.requests'],
  });
  await expect.poll(reloads).toMatchObject([{ outcome: 'ok', method: 'command' }]);
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
});

it('HUP with a faulty file says what is wrong where, and the service goes on', async () => {
  await writeConfig(folder.path, { log: { level: 'loud' } });
  running.child.kill('SIGHUP');

  expect(await running.log('the configuration was not reloaded: it has errors')).toMatchObject({
    level: 'error',
    errors: [expect.stringMatching(/config\.yaml:\d+:\d+ {2}log\.level: is "loud"/)],
  });
  expect((await fetch(`${await running.url('health')}/health/ready`)).status).toBe(200);
  await expect.poll(reloads).toMatchObject([{ outcome: 'failed', detail: { failure: expect.any(String) } }]);
});

/** What the audit table has of them. */
async function reloads(): Promise<object[]> {
  const path = join(folder.path, 'data', 'vidimus.db');
  const options = { engine: 'sqlite', path, synchronous: 'normal' } as const;
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  try {
    return await database.client.auditEvent.findMany({ where: { action: 'reloadSettings' } });
  } finally {
    await database.close();
  }
}

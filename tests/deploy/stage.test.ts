import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { temporaryFolder } from '../cli/vidimus.js';
import { listenOnFreshPort } from '../support/fresh-port.js';
import { registryIsAway } from './staged.js';

it('deploy/stage.sh says why it ends when the registry gives nothing, soon', async () => {
  const folder = await temporaryFolder();
  const closed = createServer();
  const registry = `http://127.0.0.1:${await listenOnFreshPort(closed, '127.0.0.1')}/`;
  closed.close();
  const env = {
    ...process.env,
    npm_config_registry: registry,
    npm_config_cache: join(folder.path, 'cache'),
  };
  const { status, stderr } = spawnSync('deploy/stage.sh', [join(folder.path, 'program')], {
    encoding: 'utf8',
    env,
    timeout: 50_000,
  });
  await folder.remove();

  expect(status).toBe(1);
  expect(stderr).toContain('ECONNREFUSED');
  expect(registryIsAway(stderr)).not.toBeNull();
});

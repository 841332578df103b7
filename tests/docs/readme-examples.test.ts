import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startVidimus, temporaryFolder, type Running } from '../cli/vidimus.js';
import { commandsOf } from './page-commands.js';
import { setUp } from '../support/set-up.js';

const LISTENERS = '[{port: 0, resources: [keys, previews, media, health]}]';

const EXAMPLES = commandsOf('README.md').filter(
  (command) => command.startsWith('curl http://127.0.0.1:8008') && !command.includes('preview_url'),
);

describe('the examples of README', () => {
  const folder = setUp(temporaryFolder);
  let running: Running;
  let url: string;
  beforeAll(async () => {
    running = startVidimus(['serve'], { cwd: folder.path, env: { VIDIMUS__LISTENERS: LISTENERS } });
    await running.log('ready');
    url = await running.url('keys');
  });
  afterAll(async () => {
    running.child.kill('SIGTERM');
    await running.finished;
  });

  it.each(EXAMPLES)('show a key on any machine: %s', (command) => {
    const here = command.replace('curl http://127.0.0.1:8008', `curl -sS --fail ${url}`);
    const { status, stdout, stderr } = spawnSync('sh', ['-c', here], { encoding: 'utf8' });

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/"verify_keys":\{"ed25519:/);
  });

  it('are followed by a word in the log when root runs them', () => {
    expect(/running as root, which is never needed/.test(running.stdout())).toBe(process.getuid?.() === 0);
  });
});

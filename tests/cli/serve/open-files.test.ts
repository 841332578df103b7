import { spawn } from 'node:child_process';
import { connect } from 'node:net';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { follow, plainEnvironment, PROGRAM, temporaryFolder, writeConfig, type Running } from '../vidimus.js';
import { setUpEach } from '../../support/set-up.js';

/** Fewer than one client may have connections, as some systems admit no more. */
const OPEN_FILES = 700;
const CROWD = 1000;

const folder = setUpEach(temporaryFolder);
let running: Running;

beforeEach(async () => {
  await writeConfig(folder.path, {});
  const limited = `ulimit -n ${OPEN_FILES}; exec "$@"`;
  const program = [process.execPath, PROGRAM, 'serve', '-c', 'config.yaml'];
  const options = { cwd: folder.path, env: plainEnvironment() };
  running = follow(spawn('/bin/sh', ['-c', limited, 'sh', ...program], options));
  await running.log('ready');
});
afterEach(async () => {
  running.child.kill('SIGKILL');
  await running.finished;
});

it('where the system admits few open files, no client takes them all', async () => {
  const url = await running.url('health');
  const { port, hostname } = new URL(url);
  const crowd = Array.from({ length: CROWD }, () =>
    connect({ port: Number(port), host: hostname, localAddress: '127.0.0.2' }).on('error', () => undefined),
  );
  for (const socket of crowd) socket.resume();
  await expect
    .poll(() => crowd.filter(({ destroyed }) => destroyed).length)
    .toBeGreaterThan(CROWD - OPEN_FILES / 2);

  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => (await fetch(`${url}/health/ready`)).status),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(crowd.filter(({ destroyed }) => !destroyed).length).toBeGreaterThan(100);
  expect(running.stdout()).not.toContain('EMFILE');
  for (const socket of crowd) socket.destroy();
});

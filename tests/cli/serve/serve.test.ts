import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

import { until } from '../../composition/two-instances.js';
import { postKey } from '../../support/clients/notary-client.js';
import { createTestAuthority, startRemoteServer } from '../../support/origins/remote-server.js';
import { logLines, startVidimus, temporaryFolder, vidimus, writeConfig, type Running } from '../vidimus.js';
import { setUpEach } from '../../support/set-up.js';

const folder = setUpEach(temporaryFolder);
const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

const serve = (): Running => {
  const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
  undo.push(async () => {
    running.child.kill('SIGKILL');
    await running.finished;
  });
  return running;
};
const serveToItsEnd = () => vidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });

async function takePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(async () => {
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

describe('vidimus serve that cannot start', () => {
  it('prints all errors of the configuration before it opens any port, exit code 2', async () => {
    const port = await takePort();
    await writeConfig(folder.path, {
      listeners: [{ port, resources: ['keys'] }],
      log: { level: 'loud' },
      dialect: 'dutch',
    });

    const { code, stdout, stderr } = await serveToItsEnd();

    // The port is taken: had it been tried, that would be the error.
    expect(stderr).toMatch(/2 errors/);
    expect(stderr).toMatch(/log\.level: .*\n.*dialect: |dialect: .*\n.*log\.level: /);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(existsSync(join(folder.path, 'data'))).toBe(false);
  });

  it('names address and port when another program listens there, exit code 1', async () => {
    const port = await takePort();
    await writeConfig(folder.path, { listeners: [{ port, resources: ['keys'] }] });

    const { code, stderr } = await serveToItsEnd();

    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^vidimus: Cannot listen on 127\\.0\\.0\\.1 port ${port}: another program`),
    );
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe('vidimus serve with a configuration', () => {
  it('says that a proxy of the environment is not used, but not through which one', async () => {
    await writeConfig(folder.path);
    const env = { HTTPS_PROXY: 'http://ana:hunter2@proxy.test:3128', http_proxy: 'http://proxy.test' };
    const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path, env });
    undo.push(async () => {
      running.child.kill('SIGKILL');
      await running.finished;
    });

    await running.log('ready');

    const [line, ...others] = logLines(running.stdout()).filter(({ variables }) => variables !== undefined);
    expect(line).toMatchObject({ level: 'warn', variables: ['HTTPS_PROXY', 'http_proxy'] });
    expect(line?.msg).toContain('previews.proxy_url');
    expect(others).toEqual([]);
    expect(running.stdout()).not.toContain('hunter2');
  });

  it('says where it listens in JSON log lines, and nothing on standard error', async () => {
    await writeConfig(folder.path, {
      listeners: [
        { port: 0, resources: ['keys'] },
        { port: 0, resources: ['health'] },
      ],
    });
    const running = serve();
    await running.log('ready');

    running.child.kill('SIGTERM');
    const { code, stdout, stderr } = await running.finished;

    expect(logLines(stdout).filter(({ msg }) => msg === 'listening')).toMatchObject([
      { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), resources: ['keys', 'log'] },
      { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), resources: ['health'] },
    ]);
    expect(
      stdout
        .trim()
        .split('\n')
        .every((line) => line.startsWith('{')),
    ).toBe(true);
    expect(logLines(stdout).at(-1)).toMatchObject({ msg: 'stopped' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('stopping', () => {
  /** A service with a request under way that the remote server answers only when told. */
  async function withSlowRequest() {
    const authority = await createTestAuthority();
    const remote = await startRemoteServer(authority, { validUntilTs: Date.now() + 3_600_000 });
    undo.push(
      () => authority.remove(),
      () => remote.origin.close(),
    );
    const answer = remote.origin.respond;
    let release: () => void = () => {};
    const asked = new Promise<void>((resolve) => {
      remote.origin.respond = (request, response) => {
        release = () => answer(request, response);
        resolve();
      };
    });
    await writeConfig(folder.path, {
      federation_custom_ca_list: [authority.caPath],
      ip_range_whitelist: ['127.0.0.0/8'],
      server: { drain_timeout: '60s' },
    });
    const running = serve();
    await running.log('ready');
    const url = await running.url('keys');
    const request = postKey(url, remote.serverName).then(
      ({ status, records }) => ({ status, count: records.length }),
      () => 'cut off' as const,
    );
    await asked;
    return { running, request, url, release: () => release() };
  }

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'lets running requests finish on %s, exit code 0',
    async (signal) => {
      const { running, request, url, release } = await withSlowRequest();

      running.child.kill(signal);
      await running.log('stopping');
      await until(async () => (await fetch(url).then(String, String)) === 'TypeError: fetch failed');
      release();

      expect(await request).toEqual({ status: 200, count: 1 });
      expect(await running.finished).toMatchObject({ code: 0, signal: null });
    },
  );

  it('ends at once on a second signal, with the log written', async () => {
    const { running, request } = await withSlowRequest();

    running.child.kill('SIGTERM');
    await running.log('stopping');
    const again = setInterval(() => running.child.kill('SIGTERM'), 50);
    const { code, stdout } = await running.finished;
    clearInterval(again);

    expect(code).toBe(1);
    expect(await request).toBe('cut off');
    expect(logLines(stdout).at(-1)).toMatchObject({ msg: 'second signal: ending at once' });
  });
});

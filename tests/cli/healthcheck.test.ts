import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

import { createTestAuthority } from '../support/origins/remote-server.js';
import { runHere } from './in-process.js';
import { startVidimus, temporaryFolder, vidimus, writeConfig } from './vidimus.js';
import { setUpEach } from '../support/set-up.js';

const folder = setUpEach(temporaryFolder);
const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

const ARGS = ['healthcheck', '-c', 'config.yaml'];
const healthcheck = () => runHere(ARGS, { cwd: folder.path });

/** Serves with these settings on any port, then leaves a configuration that names the one it got. */
async function serve(settings: Record<string, unknown>, awaited = 'ready'): Promise<string> {
  const listener = { port: 0, resources: ['health'], ...(settings['listener'] as object) };
  const { listener: _, ...rest } = settings;
  await rename(
    await writeConfig(folder.path, { ...rest, listeners: [listener] }),
    join(folder.path, 's.yaml'),
  );
  const running = startVidimus(['serve', '-c', 's.yaml'], { cwd: folder.path });
  undo.push(async () => {
    running.child.kill('SIGKILL');
    await running.finished;
  });
  await running.log(awaited);
  const url = await running.url('health');
  const other = { port: 1, resources: ['metrics'] };
  const listeners = [other, { ...listener, port: Number(new URL(url).port) }];
  await writeConfig(folder.path, { ...rest, listeners });
  return url;
}

/** A port of loopback that nobody answers at, or where `answers` is what connects there gets. */
async function stub(answer: string | null): Promise<number> {
  const server = createServer((socket) =>
    socket
      .resume()
      .on('error', () => undefined)
      .end(answer ?? ''),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve));
  if (answer === null) await close();
  else undo.push(close);
  return port;
}

describe('vidimus healthcheck', () => {
  it.each([['another address', { bind_addresses: ['127.0.0.2'] }]])(
    'says that a server on %s is ready, exit code 0',
    async (_where, listener) => {
      const url = await serve({ listener });

      const here = url.replace('0.0.0.0', '127.0.0.1');
      expect(await healthcheck()).toMatchObject({
        code: 0,
        stdout: `Ready: ${here}/health/ready.\n`,
        stderr: '',
      });
    },
  );

  it('asks a listener with TLS, whatever name its certificate has', async () => {
    const authority = await createTestAuthority();
    undo.push(() => authority.remove());
    const { cert, key } = await authority.leaf({ names: ['notary.test'] });
    await writeFile(join(folder.path, 'tls.crt'), cert);
    await writeFile(join(folder.path, 'tls.key'), key, { mode: 0o600 });
    const tls = { tls_certificate_path: 'tls.crt', tls_private_key_path: 'tls.key' };

    const url = await serve({ listener: { tls: true }, ...tls });

    expect(url).toMatch(/^https:/);
    expect(await vidimus(ARGS, { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' });
  });

  it('gives the reason of a server that is not ready, exit code 1', async () => {
    const database = { engine: 'postgresql', url: `postgresql://a@127.0.0.1:${await stub(null)}/b` };
    await serve({ database }, 'the database cannot be reached');

    const { code, stdout, stderr } = await healthcheck();

    expect(stderr).toMatch(/^vidimus: Not ready: .*database cannot be reached.*\n$/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it.each([
    [
      'nobody',
      null,
      /^vidimus: No answer from http:\/\/127\.0\.0\.1:\d+\/health\/ready: .*ECONNREFUSED.*\n$/,
    ],
    [
      'another service',
      'HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n<html>',
      /^vidimus: Not ready: status 404 from .*\n$/,
    ],
  ])('says in one sentence that %s answers there, exit code 1', async (_who, answer, sentence) => {
    await writeConfig(folder.path, { listeners: [{ port: await stub(answer), resources: ['health'] }] });

    const { code, stdout, stderr } = await healthcheck();

    expect(stderr).toMatch(sentence);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

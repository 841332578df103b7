import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { HOUR_MS } from '../../../../src/core/base/clock.js';
import { postKey } from '../../../support/clients/notary-client.js';
import {
  createTestAuthority,
  startRemoteServer,
  type TestAuthority,
} from '../../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../../support/service.js';

describe('the command of a watch', () => {
  let folder: string;
  let authority: TestAuthority;
  const clean: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vidimus-command-'));
    authority = await createTestAuthority();
  });
  afterEach(async () => {
    for (const undo of clean.splice(0).toReversed()) await undo();
    await authority.remove();
    await rm(folder, { recursive: true });
  });

  /** A program of Node in a file of its own. */
  const program = (text: string, ...args: string[]) => {
    const path = join(folder, 'program.cjs');
    writeFileSync(path, text);
    return [process.execPath, path, ...args];
  };
  const appear = async (command: readonly string[], alerts: object = {}) => {
    const service = await startTestService({
      caPaths: [authority.caPath],
      settings: { watch: [{ server_name: '*', command }], alerts },
    });
    clean.push(() => service.remove());
    const server = await startRemoteServer(authority, { validUntilTs: service.clock.now() + HOUR_MS });
    clean.push(() => server.origin.close());
    await postKey(service.url, server.serverName);
    return { service, serverName: server.serverName };
  };
  const send = ({ context }: TestService) => context.services.oversight.send();
  const rowsOf = ({ context }: TestService) =>
    context.parts.database.client.outbox.findMany({ orderBy: { id: 'asc' } });

  it('gets the event on its standard input, its arguments as they are, and little else', async () => {
    const out = join(folder, 'out');
    const command = program(
      `const fs = require('node:fs');
       const json = JSON.parse(fs.readFileSync(0, 'utf8'));
       fs.appendFileSync(process.argv[2], JSON.stringify({ json, args: process.argv.slice(3), env: process.env }) + '\\n');`,
      out,
      '$(touch x); *',
    );
    const { service, serverName } = await appear(command);
    await send(service);
    const said = readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { env: object });
    expect(said).toMatchObject([
      {
        json: { type: 'key_event', kind: 'server_first_seen', server_name: serverName },
        args: ['$(touch x); *'],
        env: { VIDIMUS_KIND: 'server_first_seen', VIDIMUS_SERVER_NAME: serverName },
      },
      { json: { kind: 'key_added' } },
    ]);
    const names = Object.keys(said[0]!.env).filter((name) => !name.startsWith('__'));
    expect(names.toSorted()).toEqual(['PATH', 'VIDIMUS_DELIVERY', 'VIDIMUS_KIND', 'VIDIMUS_SERVER_NAME']);
    expect((await rowsOf(service)).map(({ state }) => state)).toEqual(['done', 'done']);
  });

  it('that fails is run again, and what it said stands in the log of deliveries', async () => {
    const { service } = await appear(program(`console.error('no paper'); process.exitCode = 3;`));
    await send(service);
    expect((await rowsOf(service))[0]).toMatchObject({
      state: 'waiting',
      attempts: 1,
      message: expect.stringContaining('Ended with 3. no paper'),
    });
    service.clock.advance(HOUR_MS);
    await send(service);
    expect((await rowsOf(service))[0]).toMatchObject({ attempts: 2 });
  });

  it('that does not end is killed', async () => {
    const { service } = await appear(program('setInterval(() => {}, 1000);'), { timeout: '300ms' });
    await send(service);
    expect((await rowsOf(service))[0]).toMatchObject({ message: 'Ended by SIGKILL: not done in time.' });
  });

  it('that does not exist is a failure like others', async () => {
    const { service } = await appear([join(folder, 'absent')]);
    await send(service);
    expect((await rowsOf(service))[0]).toMatchObject({ message: expect.stringContaining('ENOENT') });
    expect(existsSync(join(folder, 'absent'))).toBe(false);
  });
});

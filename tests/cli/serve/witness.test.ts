import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { MadeLog, OTHER_LOG_KEY } from '../../support/store/test-witness.js';
import { runHere } from '../in-process.js';
import { startVidimus, temporaryFolder, vidimus, writeConfig, type Running } from '../vidimus.js';

describe('vidimus witness', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const running: Running[] = [];
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    for (const { child, finished } of running.splice(0)) {
      child.kill('SIGKILL');
      await finished;
    }
    await folder.remove();
  });
  const settings = {
    listeners: [{ port: 0, resources: ['keys', 'witness', 'health'] }],
    witness: { logs: [{ verifier_key: OTHER_LOG_KEY.verifierKey }], name: 'witness.example/w1' },
  };
  const start = () => {
    const started = startVidimus(['witness', '-c', 'config.yaml'], { cwd: folder.path });
    running.push(started);
    return started;
  };

  it('cosigns, serves nothing else, makes no signing key, and goes on after a kill', async () => {
    await writeConfig(folder.path, settings);
    const first = start();
    const { verifier_key: verifierKey } = await first.log('witness');
    const url = await first.url('witness');
    const log = new MadeLog(20);
    const path = `${url}/_svc/vidimus/v1/witness/`;
    const add = async (to: string, from: number, size: number) =>
      fetch(`${to}add-checkpoint`, { method: 'POST', body: Buffer.from(await log.offer(from, size)) });
    const answer = await add(path, 0, 10);
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringMatching(/^— witness\.example\/w1 \S+\n$/),
    ]);
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    expect((await fetch(`${url}/_svc/key/v2/server`)).status).toBe(404);
    expect(existsSync(join(folder.path, 'data/signing.key'))).toBe(false);
    expect(await runHere(['witness', 'key', '-c', 'config.yaml'], { cwd: folder.path })).toMatchObject({
      code: 0,
      stdout: `${String(verifierKey)}\n`,
    });
    const asJson = await runHere(['witness', 'key', '--json', '-c', 'config.yaml'], { cwd: folder.path });
    expect(JSON.parse(asJson.stdout)).toEqual({
      name: String(verifierKey).split('+')[0],
      verifier_key: verifierKey,
    });

    first.child.kill('SIGKILL');
    await first.finished;
    const second = start();
    await second.log('witness');
    const again = `${await second.url('witness')}/_svc/vidimus/v1/witness/`;
    const stale = await add(again, 0, 20);
    expect([stale.status, await stale.text()]).toEqual([409, '10\n']);
    const hash = createHash('sha256').update(OTHER_LOG_KEY.name).digest('hex');
    expect(await (await fetch(`${again}${hash}/checkpoint`)).text()).toContain('\n10\n');
    second.child.kill('SIGTERM');
    expect(await second.finished).toMatchObject({ code: 0 });
  });

  it('says which resource is missing, exit code 2', async () => {
    await writeConfig(folder.path);
    const { code, stderr } = await vidimus(['witness', '-c', 'config.yaml'], { cwd: folder.path });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'vidimus: No listener has the resource witness; name it in listeners.\n',
    });
  });
});

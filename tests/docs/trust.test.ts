import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startVidimus, temporaryFolder, writeConfig, type Running } from '../cli/vidimus.js';
import { checkpointOf } from '../support/clients/log-client.js';
import { postKey } from '../support/clients/notary-client.js';
import { makeTestKey } from '../support/origins/key-record-maker.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../support/origins/remote-server.js';
import { blocksOf } from './page-commands.js';

const PROGRAM = fileURLToPath(new URL('../../packages/tlog/bin/tlog.js', import.meta.url));
const KEY = makeTestKey('k1');

describe('docs/TRUST.md', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let authority: TestAuthority;
  let remote: RemoteServer;
  let running: Running;

  beforeAll(async () => {
    folder = await temporaryFolder();
    authority = await createTestAuthority();
    remote = await startRemoteServer(authority, { keys: [KEY], validUntilTs: 4_102_444_800_000 });
    const listeners = [{ port: 0, resources: ['keys', 'health', 'metrics'] }];
    const settings = { listeners, federation_custom_ca_list: [authority.caPath], ip_range_whitelist: ['127.0.0.0/8'] };
    await writeConfig(folder.path, settings);
    running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
    await running.log('ready');
    const url = await running.url('keys');
    await postKey(url, remote.serverName);
    await checkpointOf(url, 1);
  });
  afterAll(async () => {
    running.child.kill('SIGTERM');
    await running.finished;
    await remote.origin.close();
    await authority.remove();
    await folder.remove();
  });

  it('has commands that work as they stand, in their order', async () => {
    const commands = blocksOf('docs/TRUST.md');
    const url = await running.url('keys');
    const made = await running.log('made the key of the log; back it up');
    const key = String(made['verifier_key']);
    const outputs = commands.map((command) => {
      const script = `set -e\ntlog() { node '${PROGRAM}' "$@"; }\n${command}`;
      const env = {
        ...process.env,
        LOG: `${url}/_svc/vidimus/v1/log`,
        KEY: key,
        NAME: remote.serverName,
        KEY_ID: KEY.keyId,
      };
      const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: folder.path, env, encoding: 'utf8' });
      expect({ command, status, stderr }).toEqual({ command, status: 0, stderr: '' });
      return stdout;
    });

    expect(outputs[0]).toContain(`${KEY.keyId}  ${KEY.publicKey}\n  record is signed by its server`);
    expect(outputs[1]).toContain('and this is entry 0 of it:');
  });
});

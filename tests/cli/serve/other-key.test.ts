import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';

import { startVidimus, temporaryFolder, vidimus, writeConfig } from '../vidimus.js';
import { setUpEach } from '../../support/set-up.js';

/** Has node:crypto read another key than the one it is given, and sign and verify with that without contradiction. */
const READS_ANOTHER_KEY = `
  import crypto from 'node:crypto';
  import { syncBuiltinESMExports } from 'node:module';
  const { createPrivateKey } = crypto;
  crypto.createPrivateKey = (options) => {
    const key = Buffer.from(options.key);
    key[key.length - 1] ^= 1;
    return createPrivateKey({ ...options, key });
  };
  syncBuiltinESMExports();
`;
const REFUSAL =
  /^vidimus: Signing key ed25519:a_1 failed its self-test: node:crypto signs with another key than tweetnacl derived\. /m;

const folder = setUpEach(temporaryFolder);
let broken: Record<string, string>;
beforeEach(async () => {
  const hook = join(folder.path, 'hook.mjs');
  await writeFile(hook, READS_ANOTHER_KEY);
  broken = { NODE_OPTIONS: `--import=${hook}` };
});

test('a server ends with 1 and one line when its key is not what tweetnacl derives', async () => {
  const cwd = folder.path;
  await writeConfig(cwd, {
    signing_key_path: 'signing.key',
    log: { enabled: false, level: 'info' },
  });
  const generated = await vidimus(['keys', 'generate', '-c', 'config.yaml', '--version', 'a_1'], { cwd });
  expect(generated).toMatchObject({ code: 0 });

  const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd, env: broken });
  try {
    const { code, stdout, stderr } = await running.finished;
    expect(code).toBe(1);
    expect(stderr).toMatch(REFUSAL);
    // Refused before anything listens or is logged, like a key file that others can read.
    expect(stdout).toBe('');
  } finally {
    running.child.kill('SIGKILL');
  }
});

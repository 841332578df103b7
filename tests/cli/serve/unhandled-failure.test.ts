import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { logLines, startVidimus, temporaryFolder, writeConfig } from '../vidimus.js';
import { setUpEach } from '../../support/set-up.js';

const UNHANDLED = {
  'unhandled rejection': "Promise.reject(new Error('boom'))",
  'uncaught exception': "setImmediate(() => { throw new Error('boom'); })",
};

const folder = setUpEach(temporaryFolder);

/** A server in which SIGUSR2 runs `failure`, as if a line of it had been forgotten somewhere. */
async function serveUntil(failure: string, settings: Record<string, unknown> = {}) {
  await writeConfig(folder.path, settings);
  const hook = join(folder.path, 'hook.mjs');
  await writeFile(hook, `process.on('SIGUSR2', () => { ${failure}; });`);
  const running = startVidimus(['serve', '-c', 'config.yaml'], {
    cwd: folder.path,
    env: { NODE_OPTIONS: `--import=${hook}` },
  });
  try {
    await running.log('ready');
    running.child.kill('SIGUSR2');
    return await running.finished;
  } finally {
    running.child.kill('SIGKILL');
  }
}

describe('vidimus serve with a failure that nobody handled', () => {
  it.each(Object.entries(UNHANDLED))('ends with 1 and says why: %s', async (what, failure) => {
    const { code, signal, stdout } = await serveUntil(failure);

    expect({ code, signal }).toEqual({ code: 1, signal: null });
    const fatal = logLines(stdout).filter(({ level }) => level === 'fatal');
    expect(fatal).toMatchObject([{ msg: what, err: { message: 'boom' } }]);
    expect(logLines(stdout).at(-1)).toMatchObject({ msg: 'closed after a failure' });
  });
});

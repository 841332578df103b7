import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { until } from '../../composition/instances/two-instances.js';
import { startVidimus, temporaryFolder, writeConfig } from '../vidimus.js';

/** Writes what Node has loaded of its own in each thread at its end, and in those that decode right after that. */
const PROBE = `
const { threadId } = require('node:worker_threads');
const write = () => require('node:fs').writeFileSync('thread-' + threadId, process.moduleLoadList.join('\\n'));
process.on('exit', write);
const { dlopen } = process;
process.dlopen = (...all) => {
  dlopen.apply(process, all);
  if (threadId !== 0 && /sharp/.test(all[1])) setImmediate(write);
};
`;
/** What nothing calls: fetch, and the reader of CommonJS that imports of such have. */
const UNUSED = {
  'thread-0': ['internal/deps/undici/undici', 'internal/deps/cjs-module-lexer/lexer'],
  'thread-1': ['internal/deps/undici/undici', 'http', 'internal/deps/cjs-module-lexer/lexer'],
};

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

it('has Node load nothing large that it does not use', async () => {
  await writeConfig(folder.path, { listeners: [{ port: 0, resources: ['keys', 'previews', 'media'] }] });
  const probe = join(folder.path, 'probe.cjs');
  await writeFile(probe, PROBE);
  const running = startVidimus(['serve', '-c', 'config.yaml'], {
    cwd: folder.path,
    env: { NODE_OPTIONS: `--require=${probe}` },
  });

  await running.log('ready');
  await until(() => existsSync(join(folder.path, 'thread-1')));
  running.child.kill('SIGTERM');
  expect(await running.finished).toMatchObject({ code: 0, stderr: '' });

  for (const [thread, unused] of Object.entries(UNUSED)) {
    const loaded = (await readFile(join(folder.path, thread), 'utf8'))
      .replaceAll('NativeModule ', '')
      .split('\n');
    expect(loaded).toContain('fs');
    expect(unused.filter((name) => loaded.includes(name))).toEqual([]);
  }
});

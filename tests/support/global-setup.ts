import { spawnSync } from 'node:child_process';

import { NO_BROWSER, findChromium } from '../browser/support/chromium.js';
import { prepareProgramFolder } from './own-process.js';
import { hasTestDatabases, prepareTestDatabases } from './store/databases.js';

const PREPARE = `(await import('${new URL('../../scripts/prepare.mjs', import.meta.url).href}')).prepare();`;

// oxlint-disable-next-line import/no-default-export -- vitest takes only this
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Each project calls this, one after the other in one process; what the first made serves all of them.
  if (hasTestDatabases()) return undefined;
  // Commands, the worker thread and the web UI run as they are built.
  const prepared = spawnSync(process.execPath, ['--input-type=module', '-e', PREPARE], { stdio: 'inherit' });
  if (prepared.status !== 0) throw new Error('what the tests run cannot be built');
  if (findChromium() === null) process.stderr.write(`${NO_BROWSER}\n`);
  const undo = [await prepareTestDatabases(), await prepareProgramFolder()];
  return async () => {
    for (const step of undo) await step();
  };
}

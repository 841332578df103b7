import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { NO_BROWSER, findChromium } from '../browser/support/chromium.js';
import { prepareProgramFolder } from './own-process.js';
import { hasTestDatabases, prepareTestDatabases } from './store/databases.js';

const BUILD = fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url));

// oxlint-disable-next-line import/no-default-export -- vitest takes only this
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Each project calls this, one after the other in one process; what the first made serves all of them.
  if (hasTestDatabases()) return undefined;
  // Commands, the worker thread and the web UI run as they are built.
  const built = spawnSync(process.execPath, [BUILD], { stdio: 'inherit' });
  if (built.status !== 0) throw new Error('what the tests run cannot be built');
  if (findChromium() === null) process.stderr.write(`${NO_BROWSER}\n`);
  const undo = [await prepareTestDatabases(), await prepareProgramFolder()];
  return async () => {
    for (const step of undo) await step();
  };
}

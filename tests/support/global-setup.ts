import { spawnSync } from 'node:child_process';

import type { TestProject } from 'vitest/node';

import { NO_BROWSER, findChromium } from '../browser/support/chromium.js';
import { prepareProgramFolder } from './own-process.js';
import { prepareTestDatabase } from './store/databases.js';

const PREPARE = `(await import('${new URL('../../scripts/prepare.mjs', import.meta.url).href}')).prepare();`;

type Undo = () => Promise<void>;

const prepared = new Set<string>();

/** Does a step for the first project that needs it; each project calls this file, one after the other. */
async function once(step: string, prepare: () => Promise<Undo>): Promise<Undo[]> {
  if (prepared.has(step)) return [];
  prepared.add(step);
  return [await prepare()];
}

// oxlint-disable-next-line import/no-default-export -- vitest takes only this
export default async function setup({ config }: TestProject): Promise<Undo> {
  // A project without variables has none, whatever the type says.
  const env: Partial<Record<string, string>> | undefined = config.env;
  const wanted = env?.['TEST_ENGINES'];
  const undo = await once('programs', prepareBuild);
  undo.push(...(await once('sqlite', () => prepareTestDatabase('sqlite'))));
  // A server of PostgreSQL takes seconds to start.
  if (wanted !== 'sqlite') undo.push(...(await once('postgresql', () => prepareTestDatabase('postgresql'))));
  return async () => {
    // It may be called again.
    for (const step of undo.splice(0).toReversed()) await step();
  };
}

/** Commands, the worker thread and the web UI run as they are built. */
async function prepareBuild(): Promise<Undo> {
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', PREPARE], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('what the tests run cannot be built');
  if (findChromium() === null) process.stderr.write(`${NO_BROWSER}\n`);
  return prepareProgramFolder();
}

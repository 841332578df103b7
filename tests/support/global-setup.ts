import { spawnSync } from 'node:child_process';

import type { TestProject } from 'vitest/node';

import { NO_BROWSER, findChromium } from '../browser/support/chromium.js';
import { prepareProgramFolder } from './own-process.js';
import { prepareTestDatabase } from './store/databases.js';

const PREPARE = `(await import('${new URL('../../scripts/prepare.mjs', import.meta.url).href}')).prepare();`;

type Undo = () => Promise<void>;

/**
 * Does a step for the first project that needs it. Vitest loads this file once for each project, one after the other, so
 * that only the environment is shared: a second PostgreSQL would take the place of the first.
 */
async function once(step: string, prepare: () => Promise<Undo>): Promise<Undo[]> {
  const mark = `VIDIMUS_TEST_PREPARED_${step.toUpperCase()}`;
  if (process.env[mark] !== undefined) return [];
  process.env[mark] = 'yes';
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

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

import { systemClock } from '../../../src/core/base/clock.js';
import { TYPESCRIPT } from '../../support/typescript.js';
import { testEngines } from '../../support/store/databases.js';
import { ManualClock } from '../../support/manual-clock.js';
import { createRunnerKit } from './runner-kit.js';

const PROCESS = fileURLToPath(new URL('running-process.ts', import.meta.url));

it.each(testEngines())(
  'on %s a run whose process was killed shows as running for a minute, then as failed, and holds nobody out',
  async (engine) => {
    const kit = await createRunnerKit(engine, new ManualClock(systemClock.now()));
    const child = spawn(process.execPath, ['--import', TYPESCRIPT, PROCESS, JSON.stringify(kit.options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill('SIGKILL');
    await once(child, 'close');
    const id = Number(line.toString());

    const runner = kit.runner();
    await kit.store.closeDead();
    expect(await kit.store.findRuns([id])).toMatchObject([{ outcome: 'running', counts: { batches: 3 } }]);

    kit.clock.advance(systemClock.now() - kit.clock.now() + 121_000);
    await kit.store.closeDead();
    expect(await kit.store.findRuns([id])).toMatchObject([
      { outcome: 'failed', message: expect.stringContaining('process'), counts: { batches: 3 } },
    ]);
    const next = await runner.start({ job: 'sort', actor: 'alice', work: async () => undefined });
    expect(await next.finished).toMatchObject({ outcome: 'ok' });
    await kit.remove();
  },
);

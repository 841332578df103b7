import { vi } from 'vitest';

import type { TestService } from './service.js';
import { PATIENCE_MS } from './patience.js';

/** Lets jobs run no more, and waits for those under way. */
export async function pauseJobs({ context }: TestService, jobs: readonly string[]): Promise<void> {
  const { registry, runner } = context.services.jobs;
  for (const job of jobs) {
    await registry.setPaused(job, { paused: true, actor: 'test', reason: '' });
    await vi.waitUntil(() => !runner.isRunning(job), { timeout: PATIENCE_MS });
  }
}

/** Seconds after the start probes go out: requests more than a test counts. */
export async function askNobodyForTheTime({ context }: TestService): Promise<void> {
  await context.services.stopProbes();
}

import type { Database } from '../../src/core/store/db.js';

/** For what it would leave beside what a test looks at. */
export async function pauseJob({ client }: Database, job: string): Promise<void> {
  await client.job.create({
    data: { name: job, pausedTs: 0n, pausedBy: 'ana', pauseReason: 'for the test' },
  });
}

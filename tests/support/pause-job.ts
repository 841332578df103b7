import type { Database } from '../../src/core/store/db.js';

/** For what it would leave beside what a test looks at. */
export async function pauseJob({ client }: Database, job: string): Promise<void> {
  await client.jobPause.create({ data: { job, pausedTs: 0n, pausedBy: 'ana', reason: 'for the test' } });
}

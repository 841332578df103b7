// Starts a run that never ends and tells its number; to be killed. Arguments: database options as JSON.
import { systemClock } from '../../../src/core/base/clock.js';
import { openDatabase, type DatabaseOptions } from '../../../src/core/store/db.js';
import { JobStore } from '../../../src/core/job-runner/job-store.js';
import { JobRunner } from '../../../src/core/job-runner/job-runner.js';
import { createLogger } from '../../../src/core/base/logger.js';

const logger = createLogger({ level: 'silent' });
const database = await openDatabase(JSON.parse(process.argv[2] ?? '') as DatabaseOptions, logger);
const runner = new JobRunner({
  store: new JobStore(database, systemClock),
  clock: systemClock,
  logger,
  instance: 'killed',
});
const { run } = await runner.start({
  job: 'sort',
  actor: 'alice',
  work: (progress) => {
    progress.add('batches', 3);
    return new Promise(() => setInterval(() => undefined, 1000));
  },
});
await runner.heartbeat();
process.stdout.write(`${run.id}\n`);

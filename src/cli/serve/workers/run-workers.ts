import { databaseOptionsOf } from '../../../composition/parts.js';
import { systemClock } from '../../../core/base/clock.js';
import { createLogger } from '../../../core/base/logger.js';
import { ServerLock } from '../../../core/store/sqlite/server-lock.js';
import type { UsableConfig } from '../../configuration.js';
import { openLogOutput } from '../log-output.js';
import { ProcessGuard } from '../process-guard.js';
import { onReloadSignal } from '../reload-signal.js';
import { StopSignals } from '../stop-signals.js';
import { WorkerPool } from './worker-pool.js';

/** Runs the command line of this process in several workers until a signal ends them. Resolves with the exit code. */
export async function runWorkers(loaded: UsableConfig, count: number): Promise<number> {
  const { config } = loaded;
  const place = new ServerLock(databaseOptionsOf(loaded), systemClock);
  const output = await openLogOutput();
  const logger = createLogger({ level: config.log.level, destination: output.stream });
  const takePlace = (): Promise<void> => place.take();
  const pool = new WorkerPool({ count, instance: config.jobs.instance, takePlace, logger });
  const signals = new StopSignals((signal) => pool.stop(signal));
  const release = onReloadSignal(() => pool.reload());
  const guard = new ProcessGuard(logger, output);
  try {
    logger.info({ workers: count }, 'starting workers');
    const ended = pool.run();
    guard.close = async () => {
      pool.stop('SIGTERM');
      await ended;
    };
    const end = await Promise.race([signals.first, ended]);
    if (typeof end === 'number') return end;
    logger.info({ signal: end }, 'stopping all workers');
    pool.stop(end);
    return await ended;
  } finally {
    release();
    guard.release();
    signals.release();
    place.release();
    await output.end();
  }
}

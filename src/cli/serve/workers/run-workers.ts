import { createLogger } from '../../../core/base/logger.js';
import type { UsableConfig } from '../../configuration.js';
import { openLogOutput } from '../log-output.js';
import { onReloadSignal } from '../reload-signal.js';
import { StopSignals } from '../stop-signals.js';
import { WorkerPool } from './worker-pool.js';

/** Runs the command line of this process in several workers until a signal ends them. Resolves with the exit code. */
export async function runWorkers({ config }: UsableConfig, count: number): Promise<number> {
  const output = await openLogOutput({ gathers: false, isShared: true });
  const logger = createLogger({ level: config.log.level, destination: output.stream });
  const pool = new WorkerPool({ count, instance: config.jobs.instance, logger });
  const signals = new StopSignals((signal) => pool.stop(signal));
  const release = onReloadSignal(() => pool.reload());
  try {
    logger.info({ workers: count }, 'starting workers');
    const ended = pool.run();
    const end = await Promise.race([signals.first, ended]);
    if (typeof end === 'number') return end;
    logger.info({ signal: end }, 'stopping all workers');
    pool.stop(end);
    return await ended;
  } finally {
    release();
    signals.release();
    await output.end();
  }
}

import type { AppContext } from '../../composition/context.js';
import { settingChanges } from '../../core/base/running-setting.js';
import type { Logger } from '../../core/base/logger.js';
import { recordCommand } from '../open-database.js';

/** Reads the configuration again, like the mutation of the same name. While the store is away only the log tells. */
export async function reloadSettings(context: AppContext, logger: Logger): Promise<void> {
  const report = context.settings.reload({ dryRun: false });
  const [failure] = report.errors;
  try {
    await recordCommand(context.access, {
      action: 'reloadSettings',
      targetType: 'Settings',
      summary: 'Reload the configuration (signal HUP)',
      outcome: failure === undefined ? 'ok' : 'failed',
      detail: { changes: settingChanges(report), failure },
    });
  } catch (error) {
    logger.warn({ err: error }, 'the reload is not in the audit table');
  }
}

/**
 * Calls `reload` at each signal HUP until the returned function is called. At a terminal HUP keeps its meaning:
 * the terminal has been closed, and the process ends.
 */
export function onReloadSignal(reload: () => void): () => void {
  if (process.stdin.isTTY) return () => undefined;
  process.on('SIGHUP', reload);
  return () => void process.off('SIGHUP', reload);
}

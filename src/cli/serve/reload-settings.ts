import type { AppContext } from '../../composition/context.js';
import { settingChanges } from '../../core/base/running-setting.js';
import type { Logger } from '../../core/base/logger.js';
import { commandEntry } from '../audited.js';

/** Reads the configuration again, like the mutation of the same name. While the store is away only the log tells. */
export async function reloadSettings(context: AppContext, logger: Logger): Promise<void> {
  const report = context.settings.reload({ dryRun: false });
  const auditedAction = {
    action: 'reloadSettings' as const,
    targetType: 'Settings',
    summary: 'Reload the configuration (signal HUP)',
    detail: { changes: settingChanges(report) },
  };
  try {
    await context.services.operators.auditLog.record(commandEntry(auditedAction, report.errors[0] ?? null));
  } catch (error) {
    logger.warn({ err: error }, 'the reload is not in the audit table');
  }
}

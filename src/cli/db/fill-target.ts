import { systemClock } from '../../core/base/clock.js';
import { createLogger } from '../../core/base/logger.js';
import type { DatabaseOptions } from '../../core/store/db.js';
import { tellingStoreErrors } from '../../core/store/store-error-causes.js';
import { ServerLock } from '../../core/store/sqlite/server-lock.js';
import { CopyRefusal, newFillState, type FillState } from '../../core/store/transfer/fill.js';
import { beginFilling, fillDatabase } from '../../core/store/transfer/fill-database.js';
import type { RowSource } from '../../core/store/transfer/row-store.js';
import { LEFT_OUT } from '../../core/store/transfer/table.js';
import { CommandError } from '../exit.js';
import { showWhile } from '../terminal/show-while.js';

/** Runs work while no server starts on a SQLite file; rejects when one runs. PostgreSQL has room for many. */
export async function withoutServer<T>(options: DatabaseOptions, work: () => Promise<T>): Promise<T> {
  const lock = new ServerLock(options, systemClock);
  await tellingStoreErrors(options, () => lock.take());
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Takes an empty database for what comes; no server starts on it until `fillTarget` is through. */
export function beginTarget(target: DatabaseOptions, source: RowSource): Promise<void> {
  return asCommandError(() => beginFilling({ target, source, logger: createLogger({ level: 'silent' }) }));
}

/** Fills a database and draws how far it is. */
export async function fillTarget(target: DatabaseOptions, source: RowSource): Promise<FillState> {
  const state = newFillState();
  const logger = createLogger({ level: 'silent' });
  await asCommandError(() =>
    showWhile(
      () => ({
        fraction: state.rowCount === 0 ? null : state.rows / state.rowCount,
        text: `${state.rows} rows, ${state.table}`,
      }),
      () => fillDatabase({ target, source, logger }, state),
    ),
  );
  return state;
}

/** What a finished run says. */
export function filledText({ copied, same }: FillState): string {
  return (
    `${copied} rows copied, ${same} were there; each was read back and compared. ` +
    `Left out, because it only holds while servers run: ${[...LEFT_OUT].join(', ')}.`
  );
}

/** Refusals of copying end a command with their sentence. */
export async function asCommandError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CopyRefusal ? new CommandError(error.message) : error;
  }
}

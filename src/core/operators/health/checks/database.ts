import { explainStoreError } from '../../../store/store-errors.js';
import type { Database } from '../../../store/db.js';
import { failed, ok, warning, type Check } from '../health.js';
import { judgeFolder } from '../folder-space.js';

const SLOW_MS = 250;

/** Whether the database answers, and for SQLite whether its disk has room. `folder`: of the SQLite file. */
export function databaseCheck(database: Pick<Database, 'engine' | 'ping'>, folder: string | null): Check {
  return {
    id: 'database',
    title: 'Database',
    how: folder === null ? 'queried the database' : 'queried the database and the file system',
    check: async () => {
      try {
        // The first may have to connect.
        await database.ping();
      } catch (error) {
        const { error: sentence, causes } = explainStoreError(error);
        return failed(sentence, causes.join(' Or: '));
      }
      const startedMs = performance.now();
      await database.ping();
      const ms = Math.round(performance.now() - startedMs);
      const name = database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
      if (ms >= SLOW_MS)
        return warning(
          `${name} took ${ms} ms for a trivial query.`,
          'Look for a busy disk, a long transaction of another program, or too few connections.',
        );
      if (folder === null) return ok(`${name} answers in ${ms} ms.`);
      const space = await judgeFolder(folder, {
        minFreeBytes: 0,
        advice: 'Free some space on the disk of the database.',
      });
      return { ...space, message: `${name} answers in ${ms} ms. ${space.message}` };
    },
  };
}

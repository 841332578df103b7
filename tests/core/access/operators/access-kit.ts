import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { createTestDatabase, type TestEngine } from '../../../support/store/databases.js';

/** An open database of its own; `remove` closes and deletes it. */
export async function openTestDatabase(
  engine: TestEngine,
): Promise<{ database: Database; remove(): Promise<void> }> {
  const files = await createTestDatabase(engine);
  const database = await openDatabase(files.options, createLogger({ level: 'silent' }));
  return {
    database,
    remove: async () => {
      await database.close();
      await files.cleanup();
    },
  };
}

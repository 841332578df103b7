import type { Command } from 'commander';

import type { BackUpOption } from '../../db/back-up-database.js';
import type { CopyOption } from '../../db/copy-database.js';
import { configOption } from '../../configuration.js';

/** `vidimus db backup|copy`. */
export function addTransferCommands(db: Command): void {
  db.command('backup')
    .description('copy the SQLite file as it is at this moment; a server may run')
    .addOption(configOption())
    .requiredOption('-o, --output <file>', 'the file, which must not be there; it gets the mode 0600')
    .option('--json', 'print JSON')
    .addHelpText('after', BACKUP_EXAMPLES)
    .action(async (option: BackUpOption) => {
      const { backUpDatabase } = await import('../../db/back-up-database.js');
      await backUpDatabase(option);
    });
  db.command('copy')
    .description('copy all rows of a SQLite database into an empty one of PostgreSQL')
    .requiredOption('--from <file>', 'configuration whose database is copied')
    .requiredOption('--to <file>', 'configuration whose database is filled')
    .option('--json', 'print JSON')
    .addHelpText('after', COPY_EXAMPLES)
    .action(async (option: CopyOption) => {
      const { copyDatabaseOf } = await import('../../db/copy-database.js');
      await copyDatabaseOf(option);
    });
}

const BACKUP_EXAMPLES = `
A backup holds neither the configuration nor the key files: copy those as files. To restore it, stop the server and
copy it to database.path. PostgreSQL is backed up with pg_dump.

Exit codes: 0 done, 1 refused, and why is said, 2 wrong use, 3 the database is not reachable.

Examples:
  $ vidimus db backup -c config.yaml --output backup.db`;

const COPY_EXAMPLES = `
Both configurations are of the same server, and no server runs on either database. The target has to be empty; a copy
that was interrupted leaves it so. The source is only read. Media stays where it is.

Exit codes: 0 done, 1 refused, and why is said, 2 wrong use, 3 a database is not reachable.

Examples:
  $ vidimus db copy --from sqlite.yaml --to postgresql.yaml`;

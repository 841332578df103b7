import type { Command } from 'commander';

import type { BackUpOption } from '../../db/back-up-database.js';
import type { CopyOption } from '../../db/copy-database.js';
import type { RestoreOption } from '../../db/restore-database.js';
import { configOption } from '../../configuration.js';

/** `vidimus db backup|restore|copy`. */
export function addTransferCommands(db: Command): void {
  db.command('backup')
    .description('write all rows into one file that both engines can be restored from; a server may run')
    .addOption(configOption())
    .requiredOption('-o, --output <file>', 'the file, which must not be there; it gets the mode 0600')
    .option('--media <folder>', 'copy the files of media into this folder too')
    .option('--json', 'print JSON')
    .addHelpText('after', BACKUP_EXAMPLES)
    .action(async (option: BackUpOption) => {
      const { backUpDatabase } = await import('../../db/back-up-database.js');
      await backUpDatabase(option);
    });
  db.command('restore')
    .description('bring a backup into an empty database of either engine')
    .argument('<file>', 'what "db backup" wrote')
    .addOption(configOption())
    .option('--media <folder>', 'copy the files of media from this folder too')
    .option('--json', 'print JSON')
    .addHelpText('after', BACKUP_EXAMPLES)
    .action(async (path: string, option: RestoreOption) => {
      const { restoreDatabase } = await import('../../db/restore-database.js');
      await restoreDatabase(path, option);
    });
  db.command('copy')
    .description('copy all rows into the empty database of another configuration, and compare each')
    .requiredOption('--from <file>', 'configuration whose database is copied')
    .requiredOption('--to <file>', 'configuration whose database is filled')
    .option('--json', 'print JSON')
    .addHelpText('after', COPY_EXAMPLES)
    .action(async (option: CopyOption) => {
      const { copyDatabase } = await import('../../db/copy-database.js');
      await copyDatabase(option);
    });
}

const BACKUP_EXAMPLES = `
A backup holds all rows as they were at one moment, but neither the configuration nor the key files: those are backed
up as files. What is restored is read back and compared; a run that was interrupted goes on when it is started again.
Until it is whole no server starts on it.

Exit codes: 0 done, 1 refused, and why is said, 2 wrong use, 3 the database or object storage is not reachable.

Examples:
  $ vidimus db backup -c config.yaml --output backup.jsonl.gz --media backup-media
  $ vidimus db restore backup.jsonl.gz -c config.yaml --media backup-media`;

const COPY_EXAMPLES = `
Both configurations are of the same server, and no server runs on either database. The target has to be empty. A run
that was interrupted goes on when it is started again, and until it is whole no server starts on the target. The
source is only read.

Exit codes: 0 done, 1 refused, and why is said, 2 wrong use, 3 a database is not reachable.

Examples:
  $ vidimus db copy --from sqlite.yaml --to postgresql.yaml`;

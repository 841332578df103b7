import { createGzip } from 'node:zlib';

import { databaseOptionsOf } from '../../composition/parts.js';
import { VERSION } from '../../config/version.js';
import { systemClock } from '../../core/base/clock.js';
import { createLogger } from '../../core/base/logger.js';
import { openDatabase, type DatabaseOptions } from '../../core/store/db.js';
import { sql } from '../../core/store/sql/sql.js';
import { migrationStatus, refusalOf } from '../../core/store/migrate.js';
import { tellingStoreErrors } from '../../core/store/store-error-causes.js';
import { writeBackup } from '../../core/store/transfer/backup-file.js';
import { openRows } from '../../core/store/transfer/open-rows.js';
import { sourceOf } from '../../core/store/transfer/stored-source.js';
import { requireConfig, type ConfigOption } from '../configuration.js';
import { formatBytes } from '../terminal/bytes.js';
import { noDatabaseYet } from '../store-session.js';
import { print, printJson } from '../terminal/print.js';
import { showWhile } from '../terminal/show-while.js';
import { writeNew } from '../write-new.js';
import { copyAlong, mediaFolder } from './media-files.js';

export interface BackUpOption extends ConfigOption {
  output: string;
  media?: string;
  json?: true;
}

/** Writes all rows, as they are at one moment, into a file; a server may run. Of an older version's tables too. */
export async function backUpDatabase(option: BackUpOption): Promise<void> {
  const { output, media, json } = option;
  const loaded = requireConfig(option);
  const options = databaseOptionsOf(loaded);
  const status = await migrationStatus(options);
  const refusal = refusalOf(status);
  if (refusal !== null) throw refusal;
  if (status.applied.length === 0) throw noDatabaseYet(options);
  const rows = await openRows(options, 'snapshot');
  let rowCount = 0;
  try {
    const source = await sourceOf(rows, status.applied);
    ({ rowCount } = source);
    const head = { version: VERSION, serverName: loaded.config.server_name, createdTs: systemClock.now() };
    let written = 0;
    const texts = writeBackup(head, source, (count) => (written += count));
    await showWhile(
      () => ({ fraction: rowCount === 0 ? null : written / rowCount, text: `${written} rows` }),
      () => writeNew(output, texts, { mode: 0o600, through: createGzip({ level: 1 }) }),
    );
  } finally {
    await rows.close();
  }
  const { files, bytes } = await tellingStoreErrors(options, () => countMedia(options));
  if (json) printJson({ file: output, rows: rowCount, media: { files, bytes } });
  else print(`${rowCount} rows, which name ${files} media files of ${formatBytes(bytes)}.`);
  if (media !== undefined)
    await copyAlong(loaded.config, {
      between: (storage) => ({ from: storage, to: mediaFolder(media) }),
      remedy:
        'The rows are written. Run it again with another --output: media that is there is compared only.',
      json,
    });
}

/** Files of media and their bytes, as rows have them; thumbnails are not counted. */
async function countMedia(options: DatabaseOptions): Promise<{ files: number; bytes: number }> {
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  try {
    const [row] = await database.plain.query<{ files: number | string; bytes: number | string }>(
      sql`SELECT COUNT(*) AS files, COALESCE(SUM(size_bytes), 0) AS bytes FROM media WHERE file_removed_ts IS NULL`,
    );
    return { files: Number(row?.files), bytes: Number(row?.bytes) };
  } finally {
    await database.close();
  }
}

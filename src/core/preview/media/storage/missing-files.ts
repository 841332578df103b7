import { join } from 'node:path';

import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { sql } from '../../../store/sql/sql.js';
import { parseMediaId } from '../media-id.js';
import { filePathParts } from '../media-paths.js';
import { LIST_BATCH, type MediaStorage } from './media-storage.js';

/** What the rows of media say of their files. */
export interface MediaFiles {
  files: number;
  bytes: number;
}

/** Files and their bytes, as rows have them; thumbnails are not counted. */
export async function countMediaFiles(runner: SqlRunner): Promise<MediaFiles> {
  const [row] = await runner.query<{ files: number | string; bytes: number | string }>(
    sql`SELECT COUNT(*) AS files, COALESCE(SUM(size_bytes), 0) AS bytes FROM media WHERE file_removed_ts IS NULL`,
  );
  return { files: Number(row?.files), bytes: Number(row?.bytes) };
}

/** Media IDs of files that rows name and that are not there, or are of another size. */
export async function* findMissingFiles(runner: SqlRunner, storage: MediaStorage): AsyncGenerator<string> {
  for (let after = ''; ;) {
    const rows = await runner.query<{ media_id: string; size_bytes: number | string }>(
      sql`SELECT media_id, size_bytes FROM media WHERE file_removed_ts IS NULL AND media_id > ${after}
        ORDER BY media_id LIMIT ${LIST_BATCH}`,
    );
    const paths = new Map(
      rows
        .filter(({ media_id }) => parseMediaId(media_id) !== null)
        .map((row) => {
          const { folder, name } = filePathParts(row.media_id);
          return [join(storage.root, folder, name), row];
        }),
    );
    const found = await storage.findMany([...paths.keys()]);
    for (const [path, { media_id, size_bytes }] of paths)
      if (found.get(path)?.sizeBytes !== Number(size_bytes)) yield media_id;
    const last = rows.at(-1);
    if (last === undefined || rows.length < LIST_BATCH) return;
    after = last.media_id;
  }
}

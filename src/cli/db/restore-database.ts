import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

import { databaseOptionsOf } from '../../composition/parts.js';
import { systemClock } from '../../core/base/clock.js';
import { GarbageCollectionStore } from '../../core/preview/cleanup/garbage-collection-store.js';
import { markMissingFiles } from '../../core/preview/cleanup/mark-missing-files.js';
import { BackupFile } from '../../core/store/transfer/backup-file.js';
import { CopyRefusal, type FillState } from '../../core/store/transfer/fill.js';
import { commandEntry } from '../audited.js';
import { requireConfig, type ConfigOption, type UsableConfig } from '../configuration.js';
import { CommandError } from '../exit.js';
import { linesOf } from '../lines.js';
import { withAccess, withDatabase } from '../store-session.js';
import { formatTs, note, print, printJson } from '../terminal/print.js';
import { asCommandError, beginTarget, fillTarget, filledText, withoutServer } from './fill-target.js';
import { identityProblems } from './identity-problems.js';
import { copyAlong, mediaFolder, withMedia } from './media-files.js';

export interface RestoreOption extends ConfigOption {
  media?: string;
  json?: true;
}

const SHOWN_MISSING = 10;

/** Brings a backup into an empty database, and says what is missing beside it. */
export async function restoreDatabase(path: string, option: RestoreOption): Promise<void> {
  const { json } = option;
  const loaded = requireConfig(option);
  const { state, createdTs } = await withBackup(path, loaded, async (file) => ({
    state: await restoreFrom(file, loaded, option),
    createdTs: file.head.createdTs,
  }));
  const { copied, same } = state;
  await withAccess(option, ({ auditLog }) => {
    const summary = `Restored the database from a backup of ${formatTs(createdTs)}`;
    return auditLog.record(
      commandEntry({ action: 'restoreDatabase', summary, detail: { copied, same } }, null),
    );
  });
  if (!json) print(filledText(state));
  const problems = await withDatabase(option, identityProblems);
  for (const problem of problems) note(`warning: the server would not start: ${problem}`);
  const missing = await markMissing(option);
  if (json) printJson({ copied, same, missing_media: missing });
  else sayMissing(missing);
}

/** Media first: while some of it is not there, the rows are not either, and the same command goes on. */
async function restoreFrom(
  file: BackupFile,
  loaded: UsableConfig,
  { media, json }: RestoreOption,
): Promise<FillState> {
  const target = databaseOptionsOf(loaded);
  return withoutServer(target, async () => {
    if (media !== undefined) {
      await beginTarget(target, file);
      await copyAlong(loaded.config, {
        between: (storage) => ({ from: mediaFolder(media), to: storage }),
        remedy: 'Run the same command again; without --media the rows are restored all the same.',
        json,
      });
    }
    return fillTarget(target, file);
  });
}

/** Runs work with a backup of the server of this configuration. */
async function withBackup<T>(
  path: string,
  { config }: UsableConfig,
  work: (file: BackupFile) => Promise<T>,
): Promise<T> {
  const tooLong = (line: number): Error =>
    new CopyRefusal(`The backup cannot be used. Line ${line}: it is too long.`);
  const input = createReadStream(path);
  const unpacked = createGunzip();
  input.on('error', (error) => unpacked.destroy(error)).pipe(unpacked);
  try {
    const file = await asCommandError(() => BackupFile.open(linesOf(path, unpacked, tooLong)));
    const { serverName } = file.head;
    if (serverName !== config.server_name)
      throw new CommandError(
        `The backup is of the server ${serverName}, and server_name is ${config.server_name}.`,
      );
    return await work(file);
  } finally {
    input.destroy();
  }
}

function markMissing(option: ConfigOption): Promise<string[]> {
  return withDatabase(option, ({ config }, database) =>
    withMedia(
      config,
      (storage) => markMissingFiles(new GarbageCollectionStore(database), storage, systemClock.now()),
      () => 'The rows are restored; "vidimus media verify" finds what is missing.',
    ),
  );
}

function sayMissing(missing: readonly string[]): void {
  if (missing.length === 0) {
    print('No media is missing.');
    return;
  }
  print(
    `Media that is missing: ${missing.length}`,
    ...missing.slice(0, SHOWN_MISSING).map((mediaId) => `  ${mediaId}`),
    ...(missing.length > SHOWN_MISSING ? ['  …'] : []),
    'Previews that need it were forgotten: the next request makes them anew.',
  );
}

import { databaseOptionsOf } from '../../composition/parts.js';
import { systemClock } from '../../core/base/clock.js';
import { InstanceStore, isAlive } from '../../core/operators/overview/instance-store.js';
import type { Database, DatabaseOptions } from '../../core/store/db.js';
import { migrationStatus } from '../../core/store/migrate.js';
import { openRows } from '../../core/store/transfer/open-rows.js';
import { sourceOf } from '../../core/store/transfer/stored-source.js';
import { commandEntry } from '../audited.js';
import { requireConfig, type UsableConfig } from '../configuration.js';
import { CommandError, EXIT } from '../exit.js';
import { withAccess, withDatabase } from '../store-session.js';
import { print, printJson } from '../terminal/print.js';
import { fillTarget, filledText, withoutServer } from './fill-target.js';
import { identityProblems } from './identity-problems.js';

export interface CopyOption {
  /** Configuration files. */
  from: string;
  to: string;
  json?: true;
}

/** Copies the database of one configuration into that of another one, while no server runs on either. */
export async function copyDatabase({ from, to, json }: CopyOption): Promise<void> {
  const [source, target] = [requireConfig({ config: from }), requireConfig({ config: to })];
  const [sourceOptions, targetOptions] = [databaseOptionsOf(source), databaseOptionsOf(target)];
  if (placeOf(sourceOptions) === placeOf(targetOptions))
    throw new CommandError('Both configurations name the same database.', EXIT.use);
  const state = await withoutServer(sourceOptions, () =>
    withoutServer(targetOptions, async () => {
      await withDatabase({ config: from }, (_loaded, database) => refuseUnfit(target, database));
      const { applied } = await migrationStatus(sourceOptions);
      const rows = await openRows(sourceOptions, 'snapshot');
      try {
        return await fillTarget(targetOptions, await sourceOf(rows, applied));
      } finally {
        await rows.close();
      }
    }),
  );
  const { copied, same } = state;
  await withAccess({ config: to }, ({ auditLog }) => {
    const summary = `Copied the database from ${sourceOptions.engine} to ${targetOptions.engine}`;
    const entry = { action: 'copyDatabase', summary, detail: { copied, same } };
    return auditLog.record(commandEntry(entry, null));
  });
  if (json) printJson({ copied, same });
  else print(filledText(state), `Now start the server with ${to}.`);
}

/** What the configuration of the target has to fit: the names and keys that the source knows. */
async function refuseUnfit(target: UsableConfig, database: Database): Promise<void> {
  const nowTs = systemClock.now();
  const running = (await new InstanceStore(database).list()).filter((info) => isAlive(info, nowTs));
  if (running.length > 0 && database.engine === 'postgresql') {
    const names = running.map(({ name }) => name).join(', ');
    throw new CommandError(
      `A server runs on the source: ${names}. Stop it first; one that was killed is waited for 90 s.`,
    );
  }
  const problems = await identityProblems(target, database);
  if (problems.length > 0)
    throw new CommandError(
      ['With the configuration of --to the server would not start:', ...problems].join('\n'),
    );
}

function placeOf(options: DatabaseOptions): string {
  if (options.engine === 'sqlite') return options.path;
  const { host, pathname } = new URL(options.url);
  return `${host}${pathname}`;
}

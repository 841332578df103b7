import type { Command } from 'commander';

import type { CommandServices } from '../../../composition/services.js';
import { systemClock } from '../../../core/base/clock.js';
import { counted } from '../../../core/base/text/counted.js';
import { printable } from '../../../core/base/text/printable.js';
import { findLatestFetches, type FetchRow } from '../../../core/operators/keys/fetch-history.js';
import { findEntriesOfServer, type KeyEntry } from '../../../core/operators/keys/key-entries.js';
import { readNumber } from '../../api/operation.js';
import { audited } from '../../audited.js';
import { configOption, type JsonOption } from '../../configuration.js';
import { CommandError, EXIT, type ExitCode } from '../../exit.js';
import { withServices } from '../../store-session.js';
import { print, printJson } from '../../terminal/print.js';
import { readServerName } from './server-name-argument.js';

interface DeleteOption extends JsonOption {
  dryRun?: true;
  count?: number;
}

/** `vidimus key refresh` and `… delete`, which work on what is stored. */
export function addStoredKeyCommands(key: Command, examples: string): void {
  key
    .command('refresh')
    .description('fetch the keys of a server now, whatever back-off says, and store them')
    .argument('<server>', 'server name', readServerName)
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(refresh);
  key
    .command('delete')
    .description('delete the stored records of a server, or those that list one of the keys')
    .argument('<server>', 'server name', readServerName)
    .argument('[key-id...]', 'only records that list one of these keys')
    .addOption(configOption())
    .option('--dry-run', 'only say what would go')
    .option('--count <count>', 'delete only if so many records match', readNumber)
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(remove);
}

/** How a command ends whose fetch failed for a reason. */
export async function exitCodeOf(reason: string | null): Promise<ExitCode> {
  const { meansUnreachable } = await import('../../key-query/ask-origin.js');
  return meansUnreachable(reason) ? EXIT.unreachable : EXIT.failed;
}

async function refresh(serverName: string, option: JsonOption): Promise<void> {
  const auditedAction = {
    action: 'refreshServerKeys',
    targetType: 'RemoteServer',
    targetId: serverName,
    summary: `Refreshed the keys of ${serverName}`,
  };
  const fetched = await withServices(option, (services) =>
    audited(services.access.auditLog, auditedAction, async (note) => {
      const row = await refreshStored(services, serverName);
      note.about({ detail: { outcome: row?.outcome ?? null, reason: row?.reason ?? null } });
      return row;
    }),
  );
  if (fetched === null) throw new CommandError('The outcome could not be stored.');
  const { outcome, reason, message, durationMs } = fetched;
  if (option.json) {
    printJson({ server_name: serverName, outcome, reason, message, duration_ms: durationMs });
  } else if (outcome === 'ok') print(`The keys of ${serverName} are stored (${durationMs} ms).`);
  if (outcome === 'ok') return;
  const advice = option.json ? null : `${printable(message ?? '')} (${reason}). Try "vidimus key diagnose".`;
  throw new CommandError(advice, await exitCodeOf(reason));
}

/** Fetches the keys of a server now and stores the outcome. Null when nothing could be stored. */
async function refreshStored(
  { keys, database }: CommandServices,
  serverName: string,
): Promise<FetchRow | null> {
  const outcome = await keys.refresh(serverName);
  if (outcome !== 'ok' && outcome !== 'failed') return null;
  return (await findLatestFetches(database, [serverName]))[0] ?? null;
}

async function remove(serverName: string, keyIds: string[], option: DeleteOption): Promise<void> {
  const { dryRun = false, count } = option;
  const gone = await withServices(option, async (services) => {
    const found = await findStored(services, serverName, keyIds);
    const records = recordIdsOf(found);
    if (count !== undefined && count !== records.length)
      throw new CommandError(`${counted(records.length, 'record')} would go, not ${count}.`);
    return dryRun ? found : deleteStored(services, serverName, records);
  });
  const records = recordIdsOf(gone).length;
  if (option.json) {
    const keyNames = gone.map(({ keyId }) => keyId);
    printJson({ server_name: serverName, records, key_ids: keyNames, deleted: records > 0 && !dryRun });
  } else if (records > 0) {
    const what = `${counted(records, 'record')} of ${serverName} with these keys:`;
    print(dryRun ? `Would delete ${what}` : `Deleted ${what}`);
    for (const { keyId } of gone) print(`  ${printable(keyId)}`);
    if (dryRun) print(`Leave out --dry-run, or put --count ${records} in its place, to delete them.`);
  }
  if (records === 0) throw new CommandError(option.json ? null : 'No such key is stored.');
}

/** Every key of the records of a server, or of those that one of the key IDs leads to. */
async function findStored(
  { database }: CommandServices,
  serverName: string,
  keyIds: readonly string[],
): Promise<readonly KeyEntry[]> {
  const stored = await findEntriesOfServer(database.plain, serverName);
  const wanted = recordIdsOf(stored.filter(({ keyId }) => keyIds.length === 0 || keyIds.includes(keyId)));
  return stored.filter(({ recordId }) => wanted.includes(recordId));
}

function recordIdsOf(entries: readonly KeyEntry[]): number[] {
  return [...new Set(entries.map(({ recordId }) => recordId))];
}

/** Returns every key that went. */
function deleteStored(
  { access, keys }: CommandServices,
  serverName: string,
  recordIds: readonly number[],
): Promise<readonly KeyEntry[]> {
  const auditedAction = {
    action: 'deleteKeyRecords',
    targetType: 'RemoteServer',
    targetId: serverName,
    summary: `Delete key records of ${serverName}`,
  };
  return audited(access.auditLog, auditedAction, async (note) => {
    if (recordIds.length === 0) return [];
    // A server that runs keeps the records in memory for some seconds more.
    const { entries, names } = await keys.deleteRecords(recordIds, { ts: systemClock.now(), actor: 'cli' });
    note.about({ detail: { ...names } });
    return entries;
  });
}

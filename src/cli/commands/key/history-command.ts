import type { Command } from 'commander';

import { systemClock } from '../../../core/base/clock.js';
import type { CheckedHistory } from '../../../core/operators/keys/history/history-check.js';
import { commandEntry } from '../../audited.js';
import { configOption, requireConfig, type ConfigOption } from '../../configuration.js';
import { CommandError } from '../../exit.js';
import { withServices } from '../../store-session.js';
import { formatTs, print, printJson } from '../../terminal/print.js';
import { writeNew } from '../../write-new.js';
import { printable } from '../../../core/base/text/printable.js';
import { readKey, requireSigner, signerOf, type TrustedKey } from './export-signer.js';
import { readServerName } from './server-name-argument.js';

type ExportOption = ConfigOption & { output?: string };

interface CheckOption {
  key?: TrustedKey;
  json?: true;
}

/** `vidimus key history export|check`. */
export function addHistoryCommands(key: Command): void {
  const history = key
    .command('history')
    .description('the history of the keys of a server, as a signed file')
    .addHelpText('after', EXAMPLES);
  history
    .command('export')
    .description('write every record and event of a server as JSON Lines, with our signature')
    .argument('<server>', 'server name', readServerName)
    .option('-o, --output <file>', 'the file; standard output when absent')
    .addOption(configOption())
    .addHelpText('after', EXAMPLES)
    .action(exportHistoryOf);
  history
    .command('check')
    .description(
      'check such a file without asking anybody: every signature, order, and that nothing is missing',
    )
    .argument('<file>', 'the file')
    .option('--key <key>', 'a key of the notary as known from elsewhere: ID, colon, BASE64', readKey)
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(check);
}

const EXAMPLES = `
"check" needs neither configuration nor database. Each record is checked by the signatures of its own server, and the
whole by the signature of the notary that wrote the file. Whose key that is, the file cannot prove: compare the key
that is printed with what the notary publishes, or state it with --key.

Exit codes: 0 done, or the file holds what it says; 1 it does not, and the line is named, or nothing is known of the
server; 2 wrong use or a file that cannot be read.

Examples:
  $ vidimus key history export example.org --config config.yaml --output example.org.history.jsonl
  $ vidimus key history check example.org.history.jsonl
  $ vidimus key history check example.org.history.jsonl --key 'ed25519:a_1:5v0HX2VwVnL1fYLqv…' --json`;

async function exportHistoryOf(serverName: string, option: ExportOption): Promise<void> {
  const { config } = requireConfig(option);
  const { exportHistory, hasHistory } =
    await import('../../../core/operators/keys/history/history-export.js');
  const { signingTs } = await import('../../../composition/start/known-times.js');
  const own = await signerOf(config);
  const action = {
    action: 'exportKeyHistory',
    targetType: 'RemoteServer',
    targetId: serverName,
    summary: `Exported the history of the keys of ${serverName}`,
  };
  await withServices(option, async ({ access, database }) => {
    if (!(await hasHistory(database, serverName)))
      throw new CommandError(`Nothing is known of ${serverName}.`);
    const nowTs = await signingTs(config, { database, clock: systemClock });
    await access.auditLog.record(commandEntry(action, null));
    await writeNew(option.output, exportHistory(database, { serverName, own, nowTs }));
  });
}

async function check(path: string, { key, json }: CheckOption): Promise<void> {
  const { checkHistoryFile } = await import('../../key-history/history-file.js');
  const { HistoryError } = await import('../../../core/operators/keys/history/history-check.js');
  const checked = await checkHistoryFile(path).catch((error: unknown) => {
    if (!(error instanceof HistoryError)) throw error;
    throw new CommandError(`${path} proves nothing. Line ${error.line}: ${printable(error.message)}.`);
  });
  const isTrusted = requireSigner(path, checked.signers, key);
  if (json) printHistoryJson(checked, isTrusted);
  else printHistory(checked, isTrusted);
}

function printHistoryJson(checked: CheckedHistory, isTrusted: boolean): void {
  const { serverName, notary, exportedTs, counts, signers } = checked;
  printJson({
    server_name: serverName,
    notary,
    exported_ts: Number(exportedTs),
    records: counts.record,
    newest: counts.newest,
    events: counts.event,
    keys: Object.fromEntries(signers.map(({ keyId, publicKey }) => [keyId, publicKey])),
    key_was_given: isTrusted,
  });
}

function printHistory({ serverName, notary, ...checked }: CheckedHistory, isTrusted: boolean): void {
  const { exportedTs, counts, signers } = checked;
  print(
    `server    ${printable(serverName)}`,
    `records   ${counts.record}, each signed by its server`,
    `changes   ${counts.newest} of the newest record, ${counts.event} events`,
    `exported  ${formatTs(Number(exportedTs))}`,
    `notary    ${printable(notary)}`,
    ...signers.map(({ keyId, publicKey }) => `signed    ${printable(`${keyId}:${publicKey}`)}`),
    '',
    isTrusted
      ? 'The key of --key has signed it.'
      : 'Whether that is a key of the notary is for you to compare: see --key.',
  );
}

import { createReadStream } from 'node:fs';
import type { Command } from 'commander';

import { systemClock } from '../../../core/base/clock.js';
import { printable } from '../../../core/base/text/printable.js';
import type { CheckedKeyExport } from '../../../core/operators/keys/transfer/key-export-check.js';
import type { KeyImportState } from '../../../core/operators/keys/transfer/key-import.js';
import { audited, commandEntry } from '../../audited.js';
import { configOption, requireConfig, type ConfigOption } from '../../configuration.js';
import { CommandError } from '../../exit.js';
import { linesOf } from '../../lines.js';
import { withServices } from '../../store-session.js';
import { note, print, printJson } from '../../terminal/print.js';
import { showWhile } from '../../terminal/show-while.js';
import { writeNew } from '../../write-new.js';
import { readKey, requireSigner, signerOf, type TrustedKey } from './export-signer.js';

interface ImportOption extends ConfigOption {
  key?: TrustedKey;
  json?: true;
}

/** `vidimus key export|import`. */
export function addTransferCommands(key: Command): void {
  key
    .command('export')
    .description('write the stored records of all servers as JSON Lines, with our signature')
    .option('-o, --output <file>', 'the file; standard output when absent')
    .addOption(configOption())
    .addHelpText('after', EXAMPLES)
    .action(exportAll);
  key
    .command('import')
    .description("store the records of another notary's export; every signature is checked again")
    .argument('<file>', 'what "key export" wrote')
    .option('--key <key>', 'a key of that notary as known from elsewhere: ID, colon, BASE64', readKey)
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(importAll);
}

const EXAMPLES = `
A new notary starts with what another one knows. Each record is checked by the signatures of its own server, as if it
had been fetched; what was seen when is the word of the notary that wrote the file, whose signature "import" checks
first. Records that are not newer than what is known of their server are left out, so an import may be repeated. Lines
that are no acceptable record are named and left out. The bounds of the configuration hold.

Exit codes: 0 done, 1 the file is not whole, or lines were refused, 2 wrong use or a file that cannot be read.

Examples:
  $ vidimus key export --config config.yaml --output keys.jsonl
  $ vidimus key import keys.jsonl --config config.yaml
  $ vidimus key import keys.jsonl -c config.yaml --key 'ed25519:a_1:5v0HX2VwVnL1fYLqv…' --json`;

async function exportAll(option: ConfigOption & { output?: string }): Promise<void> {
  const { config } = requireConfig(option);
  const { exportKeys } = await import('../../../core/operators/keys/transfer/key-export.js');
  const { signingTs } = await import('../../../composition/start/known-times.js');
  const own = await signerOf(config);
  const action = { action: 'exportKeys', summary: 'Exported the stored key records of all servers' };
  await withServices(option, async ({ access, database }) => {
    const nowTs = await signingTs(config, { database, clock: systemClock });
    await access.auditLog.record(commandEntry(action, null));
    await writeNew(option.output, exportKeys(database.plain, own, nowTs));
  });
}

async function importAll(path: string, option: ImportOption): Promise<void> {
  const { newImportState } = await import('../../../core/operators/keys/transfer/key-import.js');
  const state = newImportState();
  const checked = await check(path);
  const isTrusted = requireSigner(path, checked.signers, option.key);
  const action = {
    action: 'importKeys',
    summary: `Imported key records of the notary ${checked.notary}`,
  };
  await withServices(option, ({ access, importKeys }) =>
    audited(access.auditLog, action, async (audit) => {
      await showWhile(
        () => ({ fraction: state.records / checked.records, text: `${state.stored} stored` }),
        () => importKeys(linesOfFile(path), state),
      );
      const { records, stored, known, overBudget, refused } = state;
      audit.about({ detail: { records, stored, known, over_budget: overBudget, refused } });
    }),
  );
  report(state, { checked, isTrusted }, option);
  if (state.refused > 0) throw new CommandError(null);
}

async function check(path: string): Promise<CheckedKeyExport> {
  const { KeyExportError, checkKeyExport } =
    await import('../../../core/operators/keys/transfer/key-export-check.js');
  try {
    return await checkKeyExport(linesOfFile(path));
  } catch (error) {
    if (!(error instanceof KeyExportError)) throw error;
    throw new CommandError(`${path} was not imported: ${error.message}.`);
  }
}

function linesOfFile(path: string): AsyncGenerator<Buffer> {
  const tooLong = (line: number): Error =>
    new CommandError(`${path}: line ${line} is too long for one of an export.`);
  return linesOf(path, createReadStream(path), tooLong);
}

function report(
  { records, stored, known, overBudget, refused, errors }: KeyImportState,
  { checked, isTrusted }: { checked: CheckedKeyExport; isTrusted: boolean },
  { json }: ImportOption,
): void {
  if (json) {
    const counts = { records, stored, known, over_budget: overBudget, refused, errors };
    printJson({ notary: checked.notary, key_was_given: isTrusted, ...counts });
    return;
  }
  for (const { line, reason } of errors) note(`line ${line}: ${printable(reason)}`);
  if (refused > errors.length) note(`and ${refused - errors.length} more`);
  print(
    `records   ${records}`,
    `stored    ${stored}`,
    `known     ${known}, not newer than what is stored`,
    `left out  ${overBudget} beyond the budget of their domain, ${refused} refused`,
    `notary    ${printable(checked.notary)}`,
    ...checked.signers.map(({ keyId, publicKey }) => `signed    ${printable(`${keyId}:${publicKey}`)}`),
  );
  if (!isTrusted) print('', 'Whether that is a key of the notary is for you to compare: see --key.');
}

import { InvalidArgumentError, type Command } from 'commander';
import { configOption, requireConfig, type ConfigOption } from '../../configuration.js';
import { CommandError, EXIT } from '../../exit.js';
import type { KeyReport } from '../../key-query/ask-origin.js';
import type { Unmet } from '../../key-query/print-report.js';
import { readServerName } from './server-name-argument.js';

interface QueryOption extends ConfigOption {
  minimumValidUntilTs?: bigint;
  trace?: true;
  json?: true;
}

/** `vidimus key query`; the others ask the server. */
export function addKeyCommands(program: Command): void {
  const key = program
    .command('key')
    .description("other servers' signing keys")
    .addHelpText('after', EXAMPLES);
  addQuery(key);
}

function addQuery(key: Command): void {
  key
    .command('query')
    .description('ask a server itself for its keys and check every signature; the store is not touched')
    .argument('<server>', 'server name, such as example.org or 192.0.2.1:8448', readServerName)
    .argument('[key-id]', 'fail unless the record lists this key')
    .addOption(configOption())
    .option('--minimum-valid-until-ts <ms>', 'fail unless the record is valid until then', readTs)
    .option('--trace', 'show each step of the fetch with its time')
    .option('--json', 'print JSON, the steps included')
    .addHelpText('after', EXAMPLES)
    .action(query);
}

const EXAMPLES = `
The origin itself is asked, with the discovery, certificate checks, blocked addresses, limits and dialect of the
configuration; a Matrix server needs "dialect: matrix". The database is not touched.

Exit codes of query: 0 verified, 1 refused or not as wanted, 3 not reachable.

Examples:
  $ VIDIMUS__DIALECT=matrix vidimus key query matrix.org
  $ vidimus key query example.org ed25519:a_1 --config config.yaml --trace`;

async function query(serverName: string, keyId: string | undefined, option: QueryOption): Promise<void> {
  const loaded = requireConfig(option);
  const { askOrigin } = await import('../../key-query/ask-origin.js');
  const { printReport, printReportJson } = await import('../../key-query/print-report.js');
  const report = await askOrigin(loaded, serverName);
  const unmet = unmetRequirement(report, keyId, option.minimumValidUntilTs);
  if (option.json) printReportJson(report, unmet);
  else printReport(report, { dialect: loaded.config.dialect, showTrace: option.trace ?? false });
  if (report.outcome === 'unreachable') throw new CommandError(null, EXIT.unreachable);
  if (report.outcome === 'refused') throw new CommandError(null);
  if (unmet === 'key_id_missing') throw new CommandError(`The record does not list ${keyId}.`);
  if (unmet !== null) {
    throw new CommandError(`The record is not valid until ${option.minimumValidUntilTs}.`);
  }
}

function unmetRequirement({ accepted }: KeyReport, keyId?: string, minimumValidUntilTs?: bigint): Unmet {
  if (accepted === null) return null;
  if (keyId !== undefined && !accepted.verifyKeys.has(keyId) && !accepted.oldVerifyKeys.has(keyId)) {
    return 'key_id_missing';
  }
  const isTooShort = minimumValidUntilTs !== undefined && accepted.validUntilTs < minimumValidUntilTs;
  return isTooShort ? 'not_valid_long_enough' : null;
}

function readTs(text: string): bigint {
  if (/^\d{1,30}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError('Wanted: POSIX time in milliseconds.');
}

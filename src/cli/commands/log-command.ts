import { readFile, stat } from 'node:fs/promises';

import { InvalidArgumentError, type Command } from 'commander';

import { parseDuration } from '../../config/kinds/units.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { shellWord } from '../../core/base/text/command-line.js';
import { errorCode } from '../../core/base/errors/error-code.js';
import { checkProof } from '../../core/notary/log/follower/check-proof.js';
import { readFollowedEntry } from '../../core/notary/log/follower/followed-entry.js';
import { KEY_TYPES, VerifierKey } from '../../core/notary/log/notes/verifier-key.js';
import { configOption, requireConfig, type ConfigOption, type JsonOption } from '../configuration.js';
import { CommandError, EXIT } from '../exit.js';
import { entryLines } from '../log/print-entry.js';
import { writeWholeFile } from '../log/whole-file.js';
import { print, printJson } from '../terminal/print.js';
import { printable } from '../../core/base/text/printable.js';
import { readServerName } from './key/server-name-argument.js';

interface VerifyOption {
  key: VerifierKey;
  state?: string;
  watch?: string[];
  records: boolean;
  follow?: true;
  every: number;
  json?: true;
}

type ProveOption = ConfigOption & { url?: URL; output?: string };

interface CheckOption {
  key: VerifierKey;
  json?: true;
}

const MAX_PAUSE_MS = 86_400_000;

/** `vidimus log key|verify|prove|check`. */
export function addLogCommands(program: Command): void {
  const log = program
    .command('log')
    .description('check what a notary vouches for, by its log')
    .addHelpText('after', EXAMPLES);
  log
    .command('key')
    .description('print what others follow our log by')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(showKey);
  addVerify(log);
  log
    .command('prove')
    .description('write a proof that the log holds the newest record with a key')
    .argument('<server>', 'server name, such as example.org', readServerName)
    .argument('<key-id>', 'key ID, such as ed25519:a_1')
    .option('--url <url>', 'address of the log to ask; the configured database when absent', readUrl)
    .option('-o, --output <file>', 'the file (SERVER.KEY-ID.tlog-proof in this folder)')
    .addOption(configOption())
    .addHelpText('after', EXAMPLES)
    .action(prove);
  log
    .command('check')
    .description('check a proof without asking anybody, and show what it proves')
    .argument('<file>', 'the .tlog-proof')
    .requiredOption('--key <verifier-key>', 'verifier key of the log', readVerifierKey)
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(check);
}

function addVerify(log: Command): void {
  log
    .command('verify')
    .description(
      'follow a log: it has only grown, every entry is in it, every record is signed by its server',
    )
    .argument('<url>', 'address of the log, which ends in /vidimus/v1/log', readUrl)
    .requiredOption(
      '--key <verifier-key>',
      'verifier key of the log, as its operator publishes it',
      readVerifierKey,
    )
    .option('--state <file>', 'remember how far it was followed; made when it is missing')
    .option('--watch <names>', 'tell every entry about these server names, with commas between', readNames)
    .option('--no-records', 'fetch only the records of names that are watched')
    .option('--follow', 'go on until Ctrl-C')
    .option('--every <duration>', 'time between two looks, such as 30s or 5m', readPause, 10_000)
    .option('--json', 'print a line of JSON for each entry told and each look')
    .addHelpText('after', EXAMPLES)
    .action(verify);
}

const EXAMPLES = `
"verify" needs neither configuration nor database, and follows any log of the form C2SP tlog-tiles. What a log has
once signed is compared with all that it signs later: keep the file of --state. When the log has lied, what it signed
is kept in a file log-evidence-TIME.json beside it. docs/TRUST.md says what that proves.

Exit codes: 0 all is well, 1 the log has lied, vouches for a record that its server has not signed, or the proof
proves nothing, 2 wrong use or a file that cannot be used, 3 the log cannot be seen.

Examples:
  $ vidimus log key --config config.yaml
  $ vidimus log verify https://keys.example.org/_svc/vidimus/v1/log --key 'keys.example.org/log+530d903a+AekyeRrm…' \\
      --state keys.example.org.json --watch example.org,example.com
  $ vidimus log prove example.org ed25519:a_1 --config config.yaml
  $ vidimus log check example.org.ed25519_a_1.tlog-proof --key 'keys.example.org/log+530d903a+AekyeRrm…'`;

async function showKey(option: JsonOption): Promise<void> {
  const { config } = requireConfig(option);
  const { readLogKey } = await import('../../composition/start/note-keys.js');
  const { origin, verifierKey } = await readLogKey(config);
  if (option.json) printJson({ origin, verifier_key: verifierKey });
  else {
    print(
      `origin        ${origin}`,
      `verifier key  ${verifierKey}`,
      '',
      'Publish the verifier key where nobody but you can write. Others follow the log with:',
      `  vidimus log verify https://${shellWord(origin)} --key ${shellWord(verifierKey)} --state log.json --watch NAMES`,
    );
  }
}

async function verify(url: URL, option: VerifyOption): Promise<void> {
  const { verifyLog } = await import('../log/verify-log.js');
  await verifyLog({
    url,
    key: option.key,
    statePath: option.state,
    watched: new Set(option.watch),
    allRecords: option.records,
    followMs: option.follow === true ? option.every : null,
    json: option.json ?? false,
  });
}

async function prove(serverName: string, keyId: string, option: ProveOption): Promise<void> {
  const { proveFromRemote, proveFromStore } = await import('../log/prove-key.js');
  const asked = { serverName, keyId };
  const { url } = option;
  const proof = await (url === undefined ? proveFromStore(option, asked) : proveFromRemote(url, asked)).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError) || url === undefined) throw error;
      throw new CommandError(`${error.message}: ${printable(error.detail ?? url.href)}.`, EXIT.unreachable);
    },
  );
  if (proof === null) throw new CommandError(`The log holds no record of ${serverName} with this key.`);
  const path = option.output ?? `${`${serverName}.${keyId}`.replaceAll(/[^\w.-]/g, '_')}.tlog-proof`;
  await writeWholeFile(path, proof);
  print(path);
}

async function check(path: string, { key, json }: CheckOption): Promise<void> {
  const proven = checkProof(await readProofFile(path), key);
  if (typeof proven === 'string') throw new CommandError(`${path} proves nothing: ${printable(proven)}.`);
  const { index, entry, checkpoint } = proven;
  const followed = readFollowedEntry(entry);
  if (followed === null) {
    const about = `entry ${index} of ${key.name} is of another form than ours, and vouches for no key`;
    throw new CommandError(`${path} proves nothing: ${printable(about)}.`);
  }
  if (json) {
    const root = checkpoint.root.toString('base64');
    printJson({ origin: key.name, size: checkpoint.size, root, index, entry: entry.toString() });
    return;
  }
  print(
    `${key.name} has signed a tree of ${checkpoint.size} entries, and this is entry ${index} of it:`,
    ...entryLines(followed),
  );
}

async function readProofFile(path: string): Promise<string> {
  const { MAX_PROOF_BYTES } = await import('../log/prove-key.js');
  try {
    return (await stat(path)).size > MAX_PROOF_BYTES ? '' : await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${errorCode(error)}).`, EXIT.use);
  }
}

function readVerifierKey(text: string): VerifierKey {
  const key = VerifierKey.parse(text);
  if (key?.type === KEY_TYPES.ed25519) return key;
  throw new InvalidArgumentError('Wanted: NAME+ID+BASE64, as the operator of the log publishes it.');
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.search === '' && url.hash === '' && url.username === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return url;
  throw new InvalidArgumentError('Wanted: an address with https:// or http:// in front.');
}

function readNames(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(',').map(readServerName)];
}

function readPause(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms > 0 && ms <= MAX_PAUSE_MS) return ms;
  throw new InvalidArgumentError('Wanted: a number with ms, s, m, h or d; at most 1d.');
}

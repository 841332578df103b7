import { checkProof } from '../checkpoint.js';
import { UnavailableError, readTextFile, remoteLog, writeWholeFile } from '../io.js';
import { readKeyEntry } from '../key-entry.js';
import {
  CommandError,
  EXIT,
  entryLines,
  note,
  print,
  printable,
  readLogKey,
  readUrl,
  readUse,
  required,
  withPath,
} from './output.js';
import { VERIFY_HELP, verifyCommand } from './verify.js';
import { WITNESS_HELP, witnessCommand } from './witness.js';

const HELP = `Usage: tlog COMMAND

Follow, check and witness transparency logs in the C2SP formats.

Commands:
  verify URL --key KEY        follow a log: it only grows, and every entry and record is checked
  prove SERVER KEY-ID --url URL
                              save a proof that a log holds the newest record with this key
  check FILE --key KEY        check a saved proof offline
  witness                     cosign the checkpoints of other logs

"tlog COMMAND --help" explains a command.

Exit codes: 0 all is well, 1 the log has lied or a proof proves nothing, 2 wrong use, 3 the log cannot be read.`;

const PROVE_HELP = `Usage: tlog prove SERVER KEY-ID --url URL [--output FILE]

Save a proof that a log holds the newest record of a server with this key. "tlog check" checks it offline.

  SERVER          server name, such as example.org
  KEY-ID          key ID, such as ed25519:a_1
  --url URL       address of the log: the part before /checkpoint
  --output FILE   file to write (SERVER.KEY-ID.tlog-proof in this folder)`;

const CHECK_HELP = `Usage: tlog check FILE --key KEY

Check a saved proof offline, and show what it proves: the log has promised to keep this entry for ever.

  FILE        the .tlog-proof
  --key KEY   verifier key of the log, as its operator publishes it`;

/** A proof has a hash a level, an entry and up to some hundred signatures. */
const MAX_PROOF_BYTES = 256 * 1024;

async function proveCommand(args: string[]): Promise<void> {
  const options = { url: { type: 'string' }, output: { type: 'string', short: 'o' } } as const;
  const { values, positionals } = readUse({ args, options, allowPositionals: true }, ['SERVER', 'KEY-ID']);
  const [serverName = '', keyId = ''] = positionals;
  const read = remoteLog(readUrl(required(values.url, '--url')));
  const path = `proof/${encodeURIComponent(serverName)}/${encodeURIComponent(keyId)}`;
  const proof = await read(path, MAX_PROOF_BYTES);
  if (proof === null)
    throw new CommandError(`The log holds no record of ${printable(serverName)} with this key.`);
  const name = `${serverName}.${keyId}`.replaceAll(/[^\w.-]/g, '_');
  const output = values.output ?? `${name}.tlog-proof`;
  await withPath(output, () => writeWholeFile(output, proof.toString()));
  print(output);
}

async function checkCommand(args: string[]): Promise<void> {
  const options = { key: { type: 'string' } } as const;
  const { values, positionals } = readUse({ args, options, allowPositionals: true }, ['FILE']);
  const [path = ''] = positionals;
  const key = readLogKey(required(values.key, '--key'));
  const text = await withPath(path, () => readTextFile(path, MAX_PROOF_BYTES));
  if (text === null) throw new CommandError(`${path} does not exist.`, EXIT.use);
  const proven = checkProof(text, key);
  if (typeof proven === 'string') throw new CommandError(`${path} proves nothing: ${printable(proven)}.`);
  const { index, entry, checkpoint } = proven;
  const read = readKeyEntry(entry);
  const name = printable(key.name);
  if (read === null)
    throw new CommandError(
      `${path} proves nothing: entry ${index} of ${name} has another form, and vouches for no key.`,
    );
  print(
    `${name} has signed a tree of ${checkpoint.size} entries, and this is entry ${index} of it:`,
    ...entryLines(read),
  );
}

const COMMANDS: Readonly<Record<string, { run(args: string[]): Promise<void>; help: string }>> = {
  verify: { run: verifyCommand, help: VERIFY_HELP },
  prove: { run: proveCommand, help: PROVE_HELP },
  check: { run: checkCommand, help: CHECK_HELP },
  witness: { run: witnessCommand, help: WITNESS_HELP },
};

/** Runs the command; resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name = '--help', ...rest] = args;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const isHelp = command === undefined ? ['--help', '-h', 'help'].includes(name) : rest.includes('--help');
  try {
    if (isHelp) print(command?.help ?? HELP);
    else if (command !== undefined) await command.run(rest);
    else
      throw new CommandError(`There is no command "${printable(name)}". "tlog --help" lists them.`, EXIT.use);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof UnavailableError) {
      note(`tlog: ${printable(error.message)}.`);
      return EXIT.unavailable;
    }
    if (!(error instanceof CommandError)) throw error;
    if (error.message !== '') note(`tlog: ${error.message}`);
    return error.exitCode;
  }
}

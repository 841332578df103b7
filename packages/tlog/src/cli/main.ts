import { checkProof } from '../checkpoint.js';
import { UnavailableError, errorCode, readTextFile, remoteLog, writeWholeFile } from '../io.js';
import { readKeyEntry } from '../key-entry.js';
import { NoteKeyError } from '../note.js';
import { FolderInUse } from '../witness.js';
import { readLogKey, readUrl, readUse, required, wrongUse } from './args.js';
import { CommandError, EXIT, entryLines, note, print, printable } from './output.js';
import { verifyCommand } from './verify.js';
import { witnessCommand } from './witness.js';

const HELP = `Follow, check and witness transparency logs in the C2SP formats.

tlog verify URL --key KEY [--state FILE] [--watch NAMES] [--no-records]
  Follow a log: it has only grown since the last run, every entry is in it, every record is signed by its server.
  When it has lied, what it signed is saved as log-evidence-TIME.json beside the state.
  URL                  address of the log: the part before /checkpoint
  --key KEY            verifier key of the log, as its operator publishes it
  --state FILE         how far the log was followed. Keep it: without it, a changed past cannot be noticed
  --watch NAMES        print every entry about these server names, separated by commas
  --no-records         fetch only the records of watched names

tlog prove SERVER KEY-ID --url URL [--output FILE]
  Save a proof that a log holds the newest record of a server with this key, such as ed25519:a_1.

tlog check FILE --key KEY
  Check a saved proof offline, and show what it proves: the log has promised to keep this entry for ever.

tlog witness --key-file FILE --name NAME --state FOLDER --log KEY [--log KEY]… [--listen HOST:PORT]
  Cosign the checkpoints of other logs (C2SP tlog-witness), each only as a continuation of the last one, and print the
  verifier key that operators of logs enter. TLS and limits per client belong to a reverse proxy in front.
  --key-file FILE      private key of the witness; created on the first start. Back it up
  --name NAME          name of a new key: the public address of the witness, without https://
  --state FOLDER       what was cosigned, one file a log. Never restore an older copy: make a new key instead
  --log KEY            verifier key of a log to cosign; several keys of one name are one log
  --listen HOST:PORT   where to listen (127.0.0.1:8110)

Exit codes: 0 all is well, 1 the log has lied, vouches for a record that its server has not signed, or a proof proves
nothing, 2 wrong use or an unusable file, 3 the log cannot be read.`;

/** A proof has a hash a level, an entry and up to some hundred signatures. */
const MAX_PROOF_BYTES = 256 * 1024;

async function proveCommand(args: string[]): Promise<void> {
  const options = { url: { type: 'string' }, output: { type: 'string' } } as const;
  const { values, positionals } = readUse(args, options, ['SERVER', 'KEY-ID']);
  const [serverName = '', keyId = ''] = positionals;
  const read = remoteLog(readUrl(required(values.url, '--url')));
  const path = `proof/${encodeURIComponent(serverName)}/${encodeURIComponent(keyId)}`;
  const proof = await read(path, MAX_PROOF_BYTES);
  if (proof === null)
    throw new CommandError(`The log holds no record of ${printable(serverName)} with this key.`);
  const name = `${serverName}.${keyId}`.replaceAll(/[^\w.-]/g, '_');
  const output = values.output ?? `${name}.tlog-proof`;
  await writeWholeFile(output, proof.toString());
  print(output);
}

async function checkCommand(args: string[]): Promise<void> {
  const { values, positionals } = readUse(args, { key: { type: 'string' } }, ['FILE']);
  const [path = ''] = positionals;
  const key = readLogKey(values.key);
  const text = await readTextFile(path);
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

const COMMANDS = { verify: verifyCommand, prove: proveCommand, check: checkCommand, witness: witnessCommand };

/** Runs the command; resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name = '--help', ...rest] = args;
  try {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name as keyof typeof COMMANDS] : undefined;
    if (['--help', 'help'].includes(name) || rest.includes('--help')) print(HELP);
    else if (command !== undefined) await command(rest);
    else throw wrongUse(`There is no command "${printable(name)}"`);
    return EXIT.ok;
  } catch (error) {
    const { message, exitCode } = failureOf(error);
    note(`tlog: ${message}`);
    return exitCode;
  }
}

/** Throws an error that is none of the command's use, its files, or the log. */
function failureOf(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof UnavailableError) {
    const code = error.reason === 'unsigned' ? EXIT.failed : EXIT.unavailable;
    return new CommandError(`${printable(error.message)}.`, code);
  }
  if (!(error instanceof Error)) throw error;
  if (error instanceof NoteKeyError) return new CommandError(`The key file ${error.message}.`, EXIT.use);
  if (errorCode(error).startsWith('ERR_PARSE_ARGS')) return wrongUse(error.message);
  if (error instanceof FolderInUse || 'syscall' in error)
    return new CommandError(`${error.message}.`, EXIT.use);
  throw error;
}

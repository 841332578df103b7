import { readFile, stat } from 'node:fs/promises';

import { errorCode } from '../files.js';
import { checkProof } from '../notes/proof.js';
import { readKeyEntry } from '../records/key-entry.js';
import { readLogKey, readUse, required } from './options.js';
import { CommandError, EXIT, print, printable, printJson, entryLines } from './output.js';
import { MAX_PROOF_BYTES } from './prove-command.js';

export const CHECK_HELP = `Usage: tlog check FILE --key KEY [--json]

Check a saved proof offline, and show what it proves: the log has promised to keep this entry for ever.

  FILE        the .tlog-proof
  --key KEY   verifier key of the log, as its operator publishes it
  --json      print JSON`;

export async function checkCommand(args: string[]): Promise<void> {
  const options = { key: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values, positionals } = readUse({ args, options, allowPositionals: true }, ['FILE']);
  const [path = ''] = positionals;
  const key = readLogKey(required(values.key, '--key'));
  const proven = checkProof(await readProofFile(path), key);
  if (typeof proven === 'string') throw new CommandError(`${path} proves nothing: ${printable(proven)}.`);
  const { index, entry, checkpoint } = proven;
  const read = readKeyEntry(entry);
  if (read === null) {
    const about = `entry ${index} of ${key.name} has another form, and vouches for no key`;
    throw new CommandError(`${path} proves nothing: ${printable(about)}.`);
  }
  if (values.json === true) {
    const root = checkpoint.root.toString('base64');
    printJson({ origin: key.name, size: checkpoint.size, root, index, entry: entry.toString() });
    return;
  }
  print(
    `${key.name} has signed a tree of ${checkpoint.size} entries, and this is entry ${index} of it:`,
    ...entryLines(read),
  );
}

/** A file that is too long reads as an empty one, which is not a proof. */
async function readProofFile(path: string): Promise<string> {
  try {
    return (await stat(path)).size > MAX_PROOF_BYTES ? '' : await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${errorCode(error)}).`, EXIT.use);
  }
}

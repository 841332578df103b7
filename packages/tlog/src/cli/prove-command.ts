import { RemoteLog } from '../follower/remote-log.js';
import { readUrl, readUse, required } from './options.js';
import { CommandError, print, printable, EXIT } from './output.js';
import { errorCode, writeWholeFile } from '../files.js';

export const PROVE_HELP = `Usage: tlog prove SERVER KEY-ID --url URL [--output FILE]

Save a proof that a log holds the newest record of a server with this key. "tlog check" checks it offline.

  SERVER          server name, such as example.org
  KEY-ID          key ID, such as ed25519:a_1
  --url URL       address of the log: the part before /checkpoint
  --output FILE   file to write (SERVER.KEY-ID.tlog-proof in this folder)`;

/** A proof has a hash a level, an entry and up to some hundred signatures. */
export const MAX_PROOF_BYTES = 256 * 1024;

export async function proveCommand(args: string[]): Promise<void> {
  const options = { url: { type: 'string' }, output: { type: 'string', short: 'o' } } as const;
  const { values, positionals } = readUse({ args, options, allowPositionals: true }, ['SERVER', 'KEY-ID']);
  const [serverName = '', keyId = ''] = positionals;
  const url = readUrl(required(values.url, '--url'));
  const remote = new RemoteLog({ url, signal: new AbortController().signal });
  const path = `proof/${encodeURIComponent(serverName)}/${encodeURIComponent(keyId)}`;
  const proof = await remote.read(path, MAX_PROOF_BYTES);
  if (proof === null)
    throw new CommandError(`The log holds no record of ${printable(serverName)} with this key.`);
  const name = `${serverName}.${keyId}`.replaceAll(/[^\w.-]/g, '_');
  const output = values.output ?? `${name}.tlog-proof`;
  await saveFile(output, proof.toString());
  print(output);
}

/** `writeWholeFile`; throws `CommandError` with the system's reason. */
export async function saveFile(path: string, text: string): Promise<void> {
  try {
    await writeWholeFile(path, text);
  } catch (error) {
    throw new CommandError(`${path} cannot be written (${errorCode(error)}).`, EXIT.use);
  }
}

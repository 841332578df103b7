import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

import { errorCode, writeNewFile } from '../files.js';
import { SEED_BYTES } from '../notes/ed25519.js';
import { NoteKeyError, WitnessKey } from '../notes/note-key.js';
import { KEY_TYPES, VerifierKey } from '../notes/verifier-key.js';
import { CheckpointWitness, type KnownLog } from '../witness/checkpoint-witness.js';
import { WitnessFolder } from '../witness/witness-folder.js';
import { serveWitness } from '../witness/witness-server.js';
import { readUse, required, wrongUse } from './options.js';
import { CommandError, EXIT, note, print } from './output.js';

export const WITNESS_HELP = `Usage: tlog witness --key-file FILE --name NAME --state FOLDER --log KEY [--log KEY]… [--listen HOST:PORT]

Cosign the checkpoints of other logs (C2SP tlog-witness), each only as a continuation of the last one. Serves
POST /add-checkpoint and GET /SHA256-OF-ORIGIN/checkpoint; TLS and limits per client belong to a reverse proxy.

  --key-file FILE      private key of the witness; created on the first start. Back it up
  --name NAME          name of a new key: the public address of the witness, without https://
  --state FOLDER       what was cosigned, one file a log. Never restore an older copy: make a new key instead
  --log KEY            verifier key of a log to cosign; ORIGIN=KEY if its checkpoints begin with another line
  --listen HOST:PORT   where to listen (127.0.0.1:8110)

Prints the verifier key of the witness, which operators of logs enter. Runs until Ctrl-C or SIGTERM.`;

export async function witnessCommand(args: string[]): Promise<void> {
  const options = {
    'key-file': { type: 'string' },
    name: { type: 'string' },
    state: { type: 'string' },
    log: { type: 'string', multiple: true },
    listen: { type: 'string', default: '127.0.0.1:8110' },
  } as const;
  const { values } = readUse({ args, options }, []);
  const [, host = '', port = ''] = /^\[?([^[\]]+)\]?:(\d{1,5})$/.exec(values.listen) ?? [];
  if (host === '') throw wrongUse('--listen wants HOST:PORT');
  const logs = knownLogs(values.log ?? []);
  const key = await loadOrCreateKey(required(values['key-file'], '--key-file'), values.name);
  const folder = await openFolder(required(values.state, '--state'));
  try {
    const witness = new CheckpointWitness({ key, logs, folder, now: Date.now, onSplitView: tellSplitView });
    await serve(witness, { host, port: Number(port) }, key);
  } finally {
    await folder.close();
  }
}

async function serve(
  witness: CheckpointWitness,
  address: { host: string; port: number },
  key: WitnessKey,
): Promise<void> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const server = await serveWitness(witness, address, (error) =>
    note(`The witness failed: ${String(error)}`),
  );
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  print(`verifier key  ${key.verifierKey}`, `listening     http://${address.host}:${port}/`);
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  process.off('SIGINT', end).off('SIGTERM', end);
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  await closed;
}

/** Several keys of one origin are one log. */
function knownLogs(texts: readonly string[]): KnownLog[] {
  if (texts.length === 0) throw wrongUse('--log is missing');
  const keys = new Map<string, VerifierKey[]>();
  for (const text of texts) {
    const [, origin, keyText = ''] = /^(?:([^+=]+)=)?([^+=]+\+[0-9a-f]{8}\+\S+)$/.exec(text) ?? [];
    const key = VerifierKey.parse(keyText);
    if (key?.type !== KEY_TYPES.ed25519)
      throw wrongUse('--log wants the verifier key of a log, NAME+ID+BASE64');
    const name = origin ?? key.name;
    keys.set(name, [...(keys.get(name) ?? []), key]);
  }
  return Array.from(keys, ([origin, all]) => ({ origin, keys: all }));
}

async function loadOrCreateKey(path: string, name: string | undefined): Promise<WitnessKey> {
  try {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (text !== null) return WitnessKey.parse(text);
    const key = new WitnessKey(required(name, '--name'), randomBytes(SEED_BYTES));
    await writeNewFile(path, key.secretText());
    note(`Created the key ${path}. Back it up.`);
    return key;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const why = error instanceof NoteKeyError ? error.message : `cannot be used (${errorCode(error)})`;
    throw new CommandError(`${path} ${why}.`, EXIT.use);
  }
}

async function openFolder(path: string): Promise<WitnessFolder> {
  try {
    return await WitnessFolder.open(path);
  } catch (error) {
    throw new CommandError(`${path}: ${error instanceof Error ? error.message : String(error)}.`, EXIT.use);
  }
}

function tellSplitView(origin: string, cosigned: string, conflict: string): void {
  note(`${origin} HAS SIGNED TWO DIFFERENT HISTORIES. Publish both checkpoints:`, cosigned, conflict);
}

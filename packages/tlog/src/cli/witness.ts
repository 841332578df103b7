import { randomBytes } from 'node:crypto';
import { once } from 'node:events';

import { SEED_BYTES } from '../ed25519.js';
import { readTextFile, writeNewFile } from '../io.js';
import { NoteKeyError, WitnessKey, type VerifierKey } from '../note.js';
import { CheckpointWitness, WitnessFolder, createWitnessServer } from '../witness.js';
import {
  CommandError,
  EXIT,
  note,
  print,
  readLogKey,
  readUse,
  required,
  withPath,
  wrongUse,
} from './output.js';

export const WITNESS_HELP = `Usage: tlog witness --key-file FILE --name NAME --state FOLDER --log KEY [--log KEY]… [--listen HOST:PORT]

Cosign the checkpoints of other logs (C2SP tlog-witness), each only as a continuation of the last one. Serves
POST /add-checkpoint and GET /SHA256-OF-ORIGIN/checkpoint; TLS and limits per client belong to a reverse proxy.

  --key-file FILE      private key of the witness; created on the first start. Back it up
  --name NAME          name of a new key: the public address of the witness, without https://
  --state FOLDER       what was cosigned, one file a log. Never restore an older copy: make a new key instead
  --log KEY            verifier key of a log to cosign; several keys of one name are one log
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
  const logs = new Map<string, VerifierKey[]>();
  for (const log of (values.log ?? []).map((text) => readLogKey(text, '--log')))
    logs.set(log.name, [...(logs.get(log.name) ?? []), log]);
  if (logs.size === 0) throw wrongUse('--log is missing');
  const statePath = required(values.state, '--state');
  const key = await loadOrCreateKey(required(values['key-file'], '--key-file'), values.name);
  const folder = await WitnessFolder.open(statePath).catch((error: unknown) => {
    throw new CommandError(
      `${statePath}: ${error instanceof Error ? error.message : String(error)}.`,
      EXIT.use,
    );
  });
  try {
    const onSplitView = (origin: string, ...checkpoints: string[]): void =>
      note(`${origin} HAS SIGNED TWO DIFFERENT HISTORIES. Publish both checkpoints:`, ...checkpoints);
    const witness = new CheckpointWitness({ key, logs, folder, now: Date.now, onSplitView });
    await serve(witness, { host, port: Number(port) }, key);
  } finally {
    await folder.close();
  }
}

/** Resolves after a signal to stop. */
async function serve(
  witness: CheckpointWitness,
  address: { host: string; port: number },
  key: WitnessKey,
): Promise<void> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const server = createWitnessServer(witness, (error) => note(`The witness failed: ${String(error)}`));
  server.listen(address);
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  print(`verifier key  ${key.verifierKey}`, `listening     http://${address.host}:${port}/`);
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  await closed;
}

const MAX_KEY_BYTES = 4096;

async function loadOrCreateKey(path: string, name: string | undefined): Promise<WitnessKey> {
  return withPath(path, async () => {
    const text = await readTextFile(path, MAX_KEY_BYTES);
    try {
      if (text !== null) return WitnessKey.parse(text);
      const key = new WitnessKey(required(name, '--name'), randomBytes(SEED_BYTES));
      await writeNewFile(path, key.secretText());
      note(`Created the key ${path}. Back it up.`);
      return key;
    } catch (error) {
      if (error instanceof NoteKeyError) throw new CommandError(`${path} ${error.message}.`, EXIT.use);
      throw error;
    }
  });
}

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { SEED_BYTES } from '../ed25519.js';
import { readTextFile, writeNewFile } from '../io.js';
import { WitnessKey } from '../note.js';
import { CheckpointWitness, createWitnessServer } from '../witness.js';
import { readLogKey, readUse, required, wrongUse } from './args.js';
import { note, print } from './output.js';

/** Resolves after Ctrl-C or SIGTERM. */
export async function witnessCommand(args: string[]): Promise<void> {
  const options = {
    'key-file': { type: 'string' },
    name: { type: 'string' },
    state: { type: 'string' },
    log: { type: 'string', multiple: true },
    listen: { type: 'string', default: '127.0.0.1:8110' },
  } as const;
  const { values } = readUse(args, options);
  const [, host = '', port = ''] = /^\[?([^[\]]+)\]?:(\d{1,5})$/.exec(values.listen) ?? [];
  if (host === '') throw wrongUse('--listen wants HOST:PORT');
  const logs = (values.log ?? []).map((text) => readLogKey(text, '--log'));
  if (logs.length === 0) throw wrongUse('--log is missing');
  const folder = required(values.state, '--state');
  const key = await loadOrCreateKey(required(values['key-file'], '--key-file'), values.name);
  const onSplitView = (origin: string, ...checkpoints: string[]): void =>
    note(`${origin} HAS SIGNED TWO DIFFERENT HISTORIES. Publish both checkpoints:`, ...checkpoints);
  const witness = await CheckpointWitness.open({ key, logs, folder, onSplitView });
  const server = createWitnessServer(witness, (error) => note(`The witness failed: ${String(error)}`));
  const end = (): void => {
    server.close();
    server.closeIdleConnections();
  };
  try {
    await once(server.listen({ host, port: Number(port) }), 'listening');
    const closed = once(server, 'close');
    process.once('SIGINT', end).once('SIGTERM', end);
    const bound = server.address() as AddressInfo;
    print(`verifier key  ${key.verifierKey}`, `listening     http://${host}:${bound.port}/`);
    await closed;
  } finally {
    await witness.close();
  }
}

async function loadOrCreateKey(path: string, name: string | undefined): Promise<WitnessKey> {
  const text = await readTextFile(path);
  if (text !== null) return WitnessKey.parse(text);
  const key = new WitnessKey(required(name, '--name'), randomBytes(SEED_BYTES));
  await writeNewFile(path, key.secretText());
  note(`Created the key ${path}. Back it up.`);
  return key;
}

import { dirname, join, resolve } from 'node:path';
import type { HomeserverFiles, Remark } from './homeserver-files.js';

/** Where the keys are that a Synapse answers key queries with. */
export interface HomeserverKeys {
  /** The file; for keys that stand in the configuration itself, where they are to go. */
  readonly path: string;
  /** The keys themselves where no file has them; `null`: the file has. */
  readonly text: string | null;
  readonly remarks: readonly Remark[];
}

/** Finds the signing keys as Synapse does: those for key queries first, then those of its own events. */
export function homeserverKeys(files: HomeserverFiles): HomeserverKeys {
  const own = ownKeys(files);
  const path = files.get(['key_server_signing_keys_path']);
  if (typeof path !== 'string') return own;
  const setting = 'key_server_signing_keys_path';
  const message = 'peers can check these keys only if the key record of the homeserver lists them, too';
  return {
    path: files.resolvePath(setting, path),
    text: null,
    remarks: [{ ...files.spot([setting]), setting, message }],
  };
}

function ownKeys(files: HomeserverFiles): HomeserverKeys {
  const text = files.get(['signing_key']);
  const name = files.get(['server_name']);
  const folder = dirname(resolve(files.spot(['server_name']).file));
  const usual = join(folder, `${typeof name === 'string' ? name : 'homeserver'}.signing.key`);
  if (typeof text === 'string') return { path: usual, text: `${text.trim()}\n`, remarks: [] };
  const path = files.get(['signing_key_path']);
  const isNamed = typeof path === 'string';
  return { path: isNamed ? files.resolvePath('signing_key_path', path) : usual, text: null, remarks: [] };
}

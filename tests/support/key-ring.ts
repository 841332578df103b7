import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const RING = fileURLToPath(new URL('key_ring.py', import.meta.url));
const PYTHON = '/usr/bin/python3';

/** Keys by key ID that each key ring accepts; its rules stand in `key_ring.py`. */
export interface AcceptedKeys {
  notary: Record<string, string>;
  origin: Record<string, string>;
  every: Record<string, string>;
}

/** Why the key rings cannot be asked here, or null when they can. */
export function keyRingMissing(): string | null {
  try {
    execFileSync(PYTHON, ['-B', RING, '--check'], { stdio: 'pipe' });
    return null;
  } catch {
    return `skipped: ${PYTHON} lacks python3-signedjson (Debian package)`;
  }
}

/** A TOML text as peers read it. */
export function readToml(text: string): unknown {
  const script = 'import json, sys, tomllib; print(json.dumps(tomllib.load(sys.stdin.buffer)))';
  return JSON.parse(execFileSync(PYTHON, ['-c', script], { input: text, encoding: 'utf8' })) as unknown;
}

/** What peers take from an answer that a notary of the name gave about a server, if they know these keys of it. */
export function acceptedKeys(asked: {
  /** Text of the answer. */
  answer: string;
  serverName: string;
  notaryName: string;
  notaryKeys: readonly { keyId: string; publicKey: string }[];
}): AcceptedKeys {
  const input = {
    answer: JSON.parse(asked.answer) as unknown,
    server_name: asked.serverName,
    notary_name: asked.notaryName,
    notary_keys: Object.fromEntries(asked.notaryKeys.map(({ keyId, publicKey }) => [keyId, publicKey])),
  };
  const output = execFileSync(PYTHON, ['-B', RING], { input: JSON.stringify(input), encoding: 'utf8' });
  return JSON.parse(output) as AcceptedKeys;
}

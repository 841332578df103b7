import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const VECTORS = new URL('../vectors/', import.meta.url);
const MAKER = fileURLToPath(new URL('make-vectors.py', VECTORS));
const PYTHON = '/usr/bin/python3';

/** Reads one committed vector file, named from tests/vectors. The caller knows its shape and says it. */
export function readVectors(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, VECTORS), 'utf8'));
}

/** Why the live comparison with Python cannot run here, or null when it can. */
export function pythonMissing(): string | null {
  try {
    execFileSync(PYTHON, ['-B', MAKER, '--check'], { stdio: 'pipe' });
    return null;
  } catch {
    return `skipped: ${PYTHON} lacks python3-canonicaljson and python3-signedjson (Debian packages)`;
  }
}

/** `count` fresh pairs of a JSON text and its canonical form, made by python3-canonicaljson. */
export function fuzzedPairs(seed: number, count: number): [string, string][] {
  const output = execFileSync(PYTHON, ['-B', MAKER, '--fuzz', String(seed), String(count)], {
    maxBuffer: 1 << 28,
    encoding: 'utf8',
  });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as [string, string]);
}

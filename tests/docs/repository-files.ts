import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout, without a final separator. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The text of one file of the repository, by its path in it. */
export function readText(name: string): string {
  return readFileSync(path.join(ROOT, name), 'utf8');
}

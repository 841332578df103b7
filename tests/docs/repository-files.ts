import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout, without a final separator. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const TEXTS = /\.(?:tsx?|mjs|prisma|ya?ml|py)$/;
const MADE = /\/(?:node_modules|generated|gql|vectors\/\w+|results|dist)\//;

/** The text of one file of the repository, by its path in it. */
export function readText(name: string): string {
  return readFileSync(path.join(ROOT, name), 'utf8');
}

/** Paths of the sources we write below some folders of the repository, nothing generated. */
export function sourcesBelow(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && TEXTS.test(entry.name))
      .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
      .filter((name) => !MADE.test(`/${name}`)),
  );
}

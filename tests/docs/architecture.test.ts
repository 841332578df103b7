import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEXT = readFileSync(join(ROOT, 'docs/ARCHITECTURE.md'), 'utf8');
/** Made by programs, and not looked at by people. */
const GENERATED = /(?:^|\/)(?:generated|gql)(?:\/|$)/;
/** A page of the web UI is a folder with whatever it needs; the page itself is its entry. */
const UNLISTED = /^web-admin\/src\/(?:pages|ui)\//;

/** Paths of the folders in the drawing, from its indentation of two blanks a level. */
function drawnFolders(): string[] {
  const drawing = /## The tree[\s\S]*?```\n([\s\S]*?)```/.exec(TEXT)![1]!;
  const open: string[] = [];
  return drawing.split('\n').flatMap((line) => {
    const match = /^( *)([a-z-]+)\/(?: |$)/.exec(line);
    if (match === null) return [];
    open.splice(match[1]!.length / 2, Infinity, match[2]!);
    return [open.join('/')];
  });
}

function foldersBelow(name: string): string[] {
  const entries = readdirSync(join(ROOT, name), { withFileTypes: true, recursive: true });
  const below = entries.filter((entry) => entry.isDirectory());
  return [name, ...below.map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))];
}

describe('docs/ARCHITECTURE.md', () => {
  it('names every folder, and none that is not there', () => {
    const folders = [...foldersBelow('src'), ...foldersBelow('web-admin')].filter(
      (path) => !GENERATED.test(path) && !UNLISTED.test(path),
    );

    expect(drawnFolders().toSorted()).toEqual(folders.toSorted());
  });

  it('points the table "Where do I change …" at files and folders that are there', () => {
    const table = /## Where do I change …\n([\s\S]*?)\n\n/.exec(TEXT)![1]!;
    const named = [...table.matchAll(/`((?:src|web-admin|prisma|scripts)\/[\w./<>*-]+)`/g)].map((m) => m[1]!);
    const paths = named.map((path) => path.replace(/\/?[^/]*[<*].*$/, ''));

    expect(paths.length).toBeGreaterThan(12);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

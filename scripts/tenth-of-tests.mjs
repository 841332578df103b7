// Which tests run on the newest Node in every run of .ci/run: always the same, until files are added or renamed.
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';

import { ROOT } from './prepare.mjs';

/** What depends on Node most: processes, signals, npm. All below such a folder, wherever. */
const ALWAYS = 'start';
/** What is seen of a page depends on the browser; none of these is drawn. */
const NEVER = 'browser';
const SHARE = 0.1;
/** A draw takes a quarter of the files, as most folders are small, and more or less of the time: this one about a tenth. */
const DRAW = 4291;

/**
 * The files of `paths` (with slashes, from the root) that belong to the tenth: of each folder one of ten and at least
 * one, so that every kind of test is among them. Throws when a folder has gone.
 */
export function tenthOf(paths) {
  const folders = new Map();
  for (const path of paths) {
    const folder = posix.dirname(path);
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  const isIn = (folder, name) => folder.split('/').includes(name);
  if (![...folders.keys()].some((folder) => isIn(folder, ALWAYS)))
    throw new Error(`no tests in a folder ${ALWAYS}: name its new place`);
  const taken = [...folders].flatMap(([folder, files]) => {
    if (isIn(folder, ALWAYS)) return files;
    return isIn(folder, NEVER) ? [] : drawn(files);
  });
  return taken.sort((a, b) => (a < b ? -1 : 1));
}

function drawn(files) {
  const lots = new Map(files.map((file) => [file, lotOf(file)]));
  const inTurn = [...files].sort((a, b) => (lots.get(a) < lots.get(b) ? -1 : 1));
  return inTurn.slice(0, Math.ceil(files.length * SHARE));
}

function lotOf(path) {
  return createHash('sha256').update(`${DRAW} ${path}`).digest('hex');
}

/** The tenth of this checkout, sorted. */
export function tenthOfTests() {
  const files = readdirSync(join(ROOT, 'tests'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'));
  return tenthOf(files);
}

// Which tests run on the newest Node in every run of .ci/run: always the same, until files are added or renamed.
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { ROOT } from './prepare.mjs';

/** What depends on Node most: downloads, images, database drivers, start. Each list names one folder, wherever. */
const ALWAYS = [['download'], ['media'], ['db', 'store'], ['start']];
/** What is seen of a page depends on the browser; none of these is drawn. */
const NEVER = ['browser'];
const SHARE = 0.1;

/** True for a path whose hash says so: one of ten. */
function isDrawn(path) {
  return createHash('sha256').update(path).digest().readUInt32BE() < SHARE * 2 ** 32;
}

/** The files of `paths` (with slashes, from the root) that belong to the tenth. Throws when a folder has gone. */
export function tenthOf(paths) {
  const isIn = (path, names) =>
    path
      .split('/')
      .slice(0, -1)
      .some((part) => names.includes(part));
  const gone = ALWAYS.find((names) => !paths.some((path) => isIn(path, names)));
  if (gone !== undefined) throw new Error(`no tests in a folder ${gone.join(' or ')}: name its new place`);
  const isTaken = (path) => isDrawn(path) && !isIn(path, NEVER);
  return paths.filter((path) => isTaken(path) || ALWAYS.some((names) => isIn(path, names)));
}

/** The tenth of this checkout, sorted. */
export function tenthOfTests() {
  const files = readdirSync(join(ROOT, 'tests'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'));
  return tenthOf(files.sort());
}

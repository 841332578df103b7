// Names the state of some source files in one word, so a build knows whether it is still that of its sources.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** SHA-256 over names and contents of the files and folders, named below `root`; `skip` leaves folders out. */
export function stampOf(root, paths, { skip = [] } = {}) {
  const hash = createHash('sha256');
  const isSkipped = (file) => skip.some((folder) => file.startsWith(join(root, folder)));
  for (const file of paths.flatMap((path) => filesAt(join(root, path))).filter((file) => !isSkipped(file)))
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/** Changes whenever the files may have: by their names, sizes and times, since reading them all takes twice as long. */
export function stateOf(root, paths) {
  const files = paths.flatMap((path) => filesAt(join(root, path)));
  const states = files.map((file) => {
    const { size, mtimeMs, ctimeMs } = statSync(file);
    return [file, size, mtimeMs, ctimeMs];
  });
  return createHash('sha256').update(JSON.stringify(states)).digest('hex');
}

function filesAt(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

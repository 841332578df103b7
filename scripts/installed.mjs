// Whether node_modules holds what the lockfile says.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * True when the last install ran to its end and brought every package of the lockfile. npm writes its own list of
 * what is installed as its last act, so an install that was cut short has none.
 */
export function isInstalled(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const present = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === null || present === null) return false;
  return Object.entries(wanted).every(([path, { version, optional, link }]) => {
    if (path === '' || link || (optional && present[path] === undefined)) return true;
    return present[path]?.version === version && existsSync(join(root, path, 'package.json'));
  });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? null;
  } catch {
    return null;
  }
}

/** Folders of the packages, below `root`, that the program has beside it when it runs, those in others left out. */
export function installedPackages(root) {
  return Object.entries(readPackages(join(root, 'package-lock.json')) ?? {})
    .filter(
      ([path, { dev }]) => !dev && path.lastIndexOf('node_modules/') === 0 && existsSync(join(root, path)),
    )
    .map(([path]) => path);
}

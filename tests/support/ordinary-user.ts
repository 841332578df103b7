import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** `nobody` nearly everywhere; any user without rights does. */
export const ORDINARY_USER = 65534;

const isRoot = process.getuid?.() === 0;

/** Gives a folder with all that is in it to a user that file modes hold for, which root is not. */
export function giveToOrdinaryUser(folder: string): void {
  if (!isRoot) return;
  chownSync(folder, ORDINARY_USER, ORDINARY_USER);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, name), ORDINARY_USER, ORDINARY_USER);
}

/** Runs work of this process as such a user; where the tests do not run as root, they are one. */
export async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return work();
  process.seteuid?.(ORDINARY_USER);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

import { readdirSync, readFileSync } from 'node:fs';

/** Of all files and sockets the process may have open: the rest is for files, fetches and the database. */
const SHARES = { connections: 1 / 2, lookups: 1 / 4 } as const;

const NEARLY_ALL = 0.9;

/** How many sockets of a kind there may be, as configured, and never more than their share of what the system admits. */
export function withinOpenFiles(kind: keyof typeof SHARES, configured: number): number {
  return Math.min(configured, Math.floor(openFileLimit() * SHARES[kind]));
}

/** Reached while nearly all files and sockets that the process may have are open. */
export const openFileBounds = {
  get lately() {
    const [limit, used] = [openFileLimit(), openFiles()];
    return used > limit * NEARLY_ALL ? [{ bound: `${used} of ${limit} open`, times: 1 }] : [];
  },
};

/** 0 where the system does not say. */
function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}

/** Linux says it in /proc; elsewhere it is taken for unlimited. */
function openFileLimit(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}

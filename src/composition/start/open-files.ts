import { readdirSync, readFileSync } from 'node:fs';

/** Of all files and sockets the process may have open: the rest is for files, fetches and the database. */
const SHARES = { connections: 1 / 2, lookups: 1 / 4 } as const;

/** How many sockets of a kind there may be, as configured, and never more than their share of what the system admits. */
export function withinOpenFiles(kind: keyof typeof SHARES, configured: number): number {
  return Math.min(configured, Math.floor(openFileLimit() * SHARES[kind]));
}

/** Files and sockets that are open, and how many may be; `null`: the system does not say. */
export function openFilesOf(): { limit: number | null; used: number | null } {
  const limit = openFileLimit();
  return { limit: Number.isFinite(limit) ? limit : null, used: openFiles() };
}

function openFiles(): number | null {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return null;
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

import { readdirSync, readFileSync } from 'node:fs';

import type { OpenFiles } from '../../core/operators/overview/health/machine-checks.js';

/** Of all files and sockets the process may have open: the rest is for files, fetches and the database. */
const SHARES = { connections: 1 / 2, lookups: 1 / 4 } as const;

/** How many sockets of a kind there may be, as configured, and never more than their share of what the system admits. */
export function withinOpenFiles(kind: keyof typeof SHARES, configured: number): number {
  return Math.min(configured, Math.floor(openFileLimit() * SHARES[kind]));
}

/** What the system admits and has open of this process, beside the connections that are configured. */
export function openFilesOf(configured: number): OpenFiles {
  const limit = openFileLimit();
  const connections = { configured, admitted: withinOpenFiles('connections', configured) };
  return { limit: Number.isFinite(limit) ? limit : null, used: openFiles(), connections };
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

import type { Target } from './targets.js';

const KEY = 'vidimus.jumps';
const MAX = 8;

/** Where one went from here, newest first. Kept in this tab only: addresses are what people read. */
export function recentTargets(): Target[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isTarget) : [];
  } catch {
    return [];
  }
}

/** Puts one in front. */
export function noteTarget({ kind, label, href }: Target): void {
  const others = recentTargets().filter((other) => other.href !== href);
  sessionStorage.setItem(KEY, JSON.stringify([{ kind, label, href }, ...others].slice(0, MAX)));
}

function isTarget(value: unknown): value is Target {
  if (typeof value !== 'object' || value === null || !('href' in value) || !('label' in value)) return false;
  return typeof value.href === 'string' && typeof value.label === 'string' && value.href.startsWith('/');
}

import type { Clock } from '../../../base/clock.js';
import type { Database } from '../../../store/db.js';
import { NO_SHARE, OTHERS, measureMedia, sumOf, type Share } from './media-measure-store.js';
import { measurePreviews, measureServers } from './row-measure-store.js';
import type { TotalStore } from './total-store.js';

export interface MeasureOptions {
  database: Database;
  totals: TotalStore;
  clock: Clock;
}

/** Groups of which the biggest are kept: types, days, hosts and owners of media. */
export const SHARE_KINDS = ['type', 'day', 'host', 'owner'] as const;

export type ShareKind = (typeof SHARE_KINDS)[number];

/** The total that says how long it took to count everything. */
export const TOOK_MS = 'totals.took_ms';

const KEPT_SHARES: Readonly<Record<ShareKind, number>> = { type: 20, day: 90, host: 20, owner: 20 };

/** Counts everything and stores the totals. Rejects when `signal` is aborted or the store is away. */
export async function measureTotals(
  { database, totals, clock }: MeasureOptions,
  signal: AbortSignal,
): Promise<void> {
  const startedMs = performance.now();
  const nowTs = clock.now();
  const media = await measureMedia(database, signal);
  const servers = await measureServers(database, { nowTs, signal });
  const stored = await measurePreviews(database, signal);
  const { byType, byDay, byHost, byOwner, ...sums } = media;
  const values = new Map<string, number>([
    ...prefixed('media', sums),
    ...prefixed('keys', { ...servers }),
    ...prefixed('previews', { stored }),
    ...sharesOf('type', byType),
    ...sharesOf('day', byDay),
    ...sharesOf('host', byHost),
    ...sharesOf('owner', byOwner),
  ]);
  values.set(TOOK_MS, Math.round(performance.now() - startedMs));
  await totals.replace(values, nowTs);
}

function prefixed(prefix: string, sums: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(sums).map(([name, value]) => [`${prefix}.${name}`, value]);
}

/** The biggest groups, or the latest days; the rest is one group. */
function sharesOf(kind: ShareKind, shares: ReadonlyMap<string, Share>): [string, number][] {
  const sorted = [...shares].sort(([a, one], [b, other]) =>
    kind === 'day' ? (a < b ? 1 : -1) : other.bytes - one.bytes || (a < b ? -1 : 1),
  );
  const kept = new Map(sorted.slice(0, KEPT_SHARES[kind]));
  for (const [, rest] of sorted.slice(KEPT_SHARES[kind])) {
    kept.set(OTHERS, sumOf(kept.get(OTHERS) ?? NO_SHARE, rest));
  }
  return [...kept].flatMap(([name, { items, bytes, thumbnailBytes }]): [string, number][] => [
    [`${kind}_items:${name}`, items],
    [`${kind}_bytes:${name}`, bytes],
    [`${kind}_thumbnailBytes:${name}`, thumbnailBytes],
  ]);
}

/** The shares of a kind out of measured totals, in the order of size; days newest first. */
export function readShares(
  values: ReadonlyMap<string, number>,
  kind: ShareKind,
): (Share & { name: string })[] {
  const prefix = `${kind}_bytes:`;
  const shares = [...values].flatMap(([key, bytes]) => {
    if (!key.startsWith(prefix)) return [];
    const name = key.slice(prefix.length);
    const items = values.get(`${kind}_items:${name}`) ?? 0;
    return [{ name, bytes, items, thumbnailBytes: values.get(`${kind}_thumbnailBytes:${name}`) ?? 0 }];
  });
  return shares.sort((a, b) => (kind === 'day' ? (a.name < b.name ? 1 : -1) : b.bytes - a.bytes));
}

import { ApiError } from '../../base/errors/api-error.js';
import { isFault, type OutboundReason } from '../../base/errors/outbound-error.js';
import type { PreviewCache } from '../../preview/pipeline/preview-cache.js';
import type { Database } from '../../store/db.js';

/** Something that went wrong lately. */
export type RecentFailure = Awaited<ReturnType<typeof recentFailures>>[number];

const SHOWN = 5;
/** Addresses refused by a rule are not failures. */
const REFUSED: OutboundReason = 'address_blocked';

/** The latest failures of every kind, newest first; `subject` and `message` are untrusted text. */
export async function recentFailures({ client }: Database, previews: Pick<PreviewCache, 'failures'>) {
  const fetches = await client.keyFetch.findMany({
    where: { outcome: 'failed', OR: [{ reason: null }, { reason: { not: REFUSED } }] },
    orderBy: [{ startedTs: 'desc' }, { id: 'desc' }],
    take: SHOWN,
  });
  const runs = await client.jobRun.findMany({
    where: { outcome: 'failed' },
    orderBy: { id: 'desc' },
    take: SHOWN,
  });
  const failed = previews.failures().filter(({ outcome }) => !isFault(outcome.error, 'rules'));
  const all = [
    ...fetches.map(({ serverName: subject, startedTs, message }) => {
      const href = `/keys/${encodeURIComponent(subject)}?tab=fetches`;
      return { title: 'Key fetch', subject, ts: Number(startedTs), message, href };
    }),
    ...runs.map(({ job: subject, startedTs, message }) => {
      const href = `/jobs?job=${encodeURIComponent(subject)}`;
      return { title: 'Job', subject, ts: Number(startedTs), message, href };
    }),
    ...failed.slice(0, SHOWN).map(({ url: subject, storedTs: ts, outcome: { error } }) => {
      const href = `/previews?tab=try&url=${encodeURIComponent(subject)}`;
      return {
        title: 'Preview',
        subject,
        ts,
        message: error instanceof ApiError ? error.message : null,
        href,
      };
    }),
  ];
  return all
    .map((failure) => ({ ...failure, message: failure.message ?? 'It failed.' }))
    .toSorted((a, b) => b.ts - a.ts)
    .slice(0, SHOWN);
}

/** Why key fetches failed since then, commonest first. */
export async function fetchFailureReasons({ client }: Database, sinceTs: number): Promise<string[]> {
  const groups = await client.keyFetch.groupBy({
    by: ['reason'],
    where: { outcome: 'failed', startedTs: { gte: sinceTs } },
    _count: true,
  });
  return commonest(new Map(groups.map(({ reason, _count }) => [reason, _count])));
}

/** The same of previews whose failures are kept. */
export function previewFailureReasons(previews: Pick<PreviewCache, 'failures'>): string[] {
  const counts = new Map<string | null, number>();
  for (const { outcome } of previews.failures()) {
    const reason = outcome.error instanceof ApiError ? outcome.error.reason : null;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return commonest(counts);
}

function commonest(counts: ReadonlyMap<string | null, number>): string[] {
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  return sorted.flatMap(([reason]) => (reason === null ? [] : [reason]));
}

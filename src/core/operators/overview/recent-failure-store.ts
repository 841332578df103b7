import type { OutboundReason } from '../../base/errors/outbound-error.js';
import type { Database } from '../../store/db.js';

/** Something that went wrong lately. */
export interface RecentFailure {
  ts: number;
  kind: 'key_fetch' | 'preview' | 'job';
  /** Server name, URL or job. Untrusted text. */
  subject: string;
  message: string;
  /** Path inside the web UI. */
  href: string;
}

/** A failed preview in memory, as much as is told here. */
export interface FailedPreview {
  url: string;
  ts: number;
  message: string;
}

const SHOWN = 5;
/** What the address ranges refuse is no failure of anything. */
const REFUSED: OutboundReason = 'address_blocked';

/** The latest failures of every kind, newest first. */
export async function recentFailures(
  { client }: Database,
  failedPreviews: readonly FailedPreview[],
): Promise<RecentFailure[]> {
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
  const all: RecentFailure[] = [
    ...fetches.map((row) => ofFetch(row)),
    ...runs.map((run) => ({
      ts: Number(run.startedTs),
      kind: 'job' as const,
      subject: run.job,
      message: run.message ?? 'The run failed.',
      href: `/jobs?job=${encodeURIComponent(run.job)}`,
    })),
    ...failedPreviews.map(({ url, ts, message }) => ({
      ts,
      kind: 'preview' as const,
      subject: url,
      message,
      href: `/previews?tab=try&url=${encodeURIComponent(url)}`,
    })),
  ];
  return all.sort((a, b) => b.ts - a.ts).slice(0, SHOWN);
}

interface FetchRow {
  serverName: string;
  startedTs: bigint;
  message: string | null;
}

function ofFetch(row: FetchRow): RecentFailure {
  return {
    ts: Number(row.startedTs),
    kind: 'key_fetch',
    subject: row.serverName,
    message: row.message ?? 'The fetch failed.',
    href: `/keys/${encodeURIComponent(row.serverName)}?tab=fetches`,
  };
}

import { storableText } from '../../base/text/strings.js';
import { searchableUrl, type AddressSearch } from '../../base/text/url.js';
import { HIT_STAGES, type HitStage } from '../../preview/pipeline/blacklist-hits.js';
import type { Database } from '../../store/db.js';
import { enumColumn } from '../../store/enum-column.js';
import { newestFirst } from '../../store/lists/keyset-cursor.js';
import {
  anyContains,
  onHost,
  textIn,
  timeRange,
  type FilterTime,
  type ListedRow,
} from '../../store/lists/keyset-filter.js';
import { type Listing, RecordList } from '../../store/lists/record-list.js';
import { plainRow } from '../../store/plain-row.js';

/** A refused address as it was stored; its request id is empty for hits from before requests were kept. */
export type BlockHit = Awaited<ReturnType<typeof findHits>>[number];

/** Which hits; absent members do not matter. */
export interface HitFilter extends AddressSearch {
  /** In URL, rule, address or request id. */
  search?: string | null;
  /** Whether a rule on addresses refused, or a URL rule. */
  byAddress?: boolean | null;
  /** A rule as hits name it. */
  rule?: string | null;
  stage?: HitStage | null;
  /** As `readHostPattern`. */
  host?: string | null;
  after?: FilterTime;
  before?: FilterTime;
}

const stageOf = enumColumn(HIT_STAGES, 'target');

/** Refused addresses, newest first. */
export function hitList(database: Database): RecordList<HitFilter, number, BlockHit> {
  return new RecordList(database, {
    listing: (filter) => listingOf(filter, database.engine),
    find: (ids) => findHits(database, ids),
    keyOf: ({ id }) => id,
  });
}

/** Hits by number, in any order. */
async function findHits({ client }: Database, ids: readonly number[]) {
  const rows = await client.blacklistHit.findMany({ where: { id: { in: [...ids] } } });
  return rows.map((row) => ({ ...plainRow(row), stage: stageOf(row.stage) }));
}

/** How often each rule refused and when last, by the rule as hits name it. Kept hits only. */
export async function hitsByRule({ client: { blacklistHit } }: Database) {
  const groups = await blacklistHit.groupBy({ by: ['rule'], _count: { _all: true }, _max: { id: true } });
  const ids = groups.flatMap(({ _max }) => _max.id ?? []);
  const last = await blacklistHit.findMany({ where: { id: { in: ids } }, select: { rule: true, ts: true } });
  const lastTs = new Map(last.map(({ rule, ts }) => [rule, Number(ts)]));
  return groups.map(({ rule, _count }) => ({ rule, hits: _count._all, lastTs: lastTs.get(rule) ?? 0 }));
}

function listingOf(filter: HitFilter, engine: Database['engine']): Listing {
  const { search, byAddress = null, rule = null, stage, host, after, before } = filter;
  const found = {
    fields: ['url', 'rule', 'address', 'requestId', 'host'],
    shown: (row: ListedRow): unknown[] => [
      searchableUrl(textIn(row, 'url'), textIn(row, 'host'), filter),
      row['rule'],
      row['address'],
      row['requestId'],
    ],
  };
  return {
    ...newestFirst('blacklistHit'),
    conditions: [
      timeRange('ts', after, before),
      // One index at a time: with a host given, the hits of that are looked through.
      rule !== null && { where: { rule: storableText(rule) }, servedBy: host ? [] : ['id'] },
      ...onHost(host, 'id'),
      stage && { where: { stage } },
      byAddress !== null && { where: { address: byAddress ? { not: null } : null } },
      anyContains(engine, found, search),
    ],
  };
}

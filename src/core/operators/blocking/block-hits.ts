import { HIT_STAGES, type BlacklistHit, type HitStage } from '../../preview/pipeline/blacklist-hits.js';
import { enumColumn } from '../../store/enum-column.js';
import type { Database } from '../../store/db.js';
import { newestFirst } from '../../store/lists/keyset-cursor.js';
import {
  anyContains,
  onHost,
  textIn,
  timeRange,
  type ListCondition,
  type ListedRow,
} from '../../store/lists/keyset-filter.js';
import { RecordList } from '../../store/lists/record-list.js';
import { searchableUrl, type AddressSearch } from '../../base/text/url.js';
import { storableText } from '../../base/text/strings.js';

/** A refused address as it was stored; its request id is empty for hits from before requests were kept. */
export interface BlockHit extends BlacklistHit {
  id: number;
}

/** Which hits; what is `null` does not matter. */
export interface HitFilter extends AddressSearch {
  /** In URL, rule, address or request id. */
  search: string | null;
  /** Whether a rule on addresses refused, or a URL rule. */
  byAddress: boolean | null;
  /** A rule as hits name it. */
  rule: string | null;
  stage: HitStage | null;
  /** As `readHostPattern`. */
  host: string | null;
  fromTs: number | null;
  toTs: number | null;
}

/** How often a rule refused. */
export interface RuleHits {
  hits: number;
  /** POSIX ms of the latest. */
  lastTs: number;
}

const stageOf = enumColumn(HIT_STAGES, 'target');

/** Refused addresses, newest first, and how often each rule refused. */
export class BlockHits extends RecordList<HitFilter, number, BlockHit> {
  constructor(private readonly store: Database) {
    super(store, {
      listing: (filter) => ({
        ...newestFirst('blacklistHit'),
        conditions: conditionsOf(filter, store.engine),
      }),
      find: (ids) => findHits(store, ids),
      keyOf: ({ id }) => id,
    });
  }

  /** Hits by number, in any order. */
  find(ids: readonly number[]): Promise<BlockHit[]> {
    return findHits(this.store, ids);
  }

  /** Hits by rule, as hits name it; rules that never refused are not in it. Kept hits only. */
  async byRule(): Promise<Map<string, RuleHits>> {
    const { blacklistHit } = this.store.client;
    const groups = await blacklistHit.groupBy({ by: ['rule'], _count: { _all: true }, _max: { id: true } });
    const lastIds = groups.flatMap(({ _max }) => (_max.id === null ? [] : [_max.id]));
    const last = await blacklistHit.findMany({
      where: { id: { in: lastIds } },
      select: { rule: true, ts: true },
    });
    const lastTs = new Map(last.map(({ rule, ts }) => [rule, Number(ts)]));
    return new Map(
      groups.map(({ rule, _count }) => [rule, { hits: _count._all, lastTs: lastTs.get(rule) ?? 0 }]),
    );
  }
}

async function findHits({ client }: Database, ids: readonly number[]): Promise<BlockHit[]> {
  const rows = await client.blacklistHit.findMany({ where: { id: { in: [...ids] } } });
  return rows.map(({ ts, stage, ...row }) => ({ ts: Number(ts), stage: stageOf(stage), ...row }));
}

function conditionsOf(filter: HitFilter, engine: Database['engine']): ListCondition[] {
  const { search, byAddress, rule, stage, host, fromTs, toTs } = filter;
  const conditions = timeRange('ts', { fromTs, toTs });
  if (rule !== null) {
    // One index at a time: with a host given, the hits of that are looked through.
    const servedBy = host === null ? ['id'] : [];
    conditions.push({ where: { rule: storableText(rule) }, servedBy });
  }
  if (host !== null) conditions.push(...onHost(host, 'id'));
  if (stage !== null) conditions.push({ where: { stage } });
  if (byAddress !== null) conditions.push({ where: { address: byAddress ? { not: null } : null } });
  const text = search?.trim() ?? '';
  if (text !== '') {
    const shown = (row: ListedRow): unknown[] => [
      searchableUrl(textIn(row, 'url'), textIn(row, 'host'), filter),
      row['rule'],
      row['address'],
      row['requestId'],
    ];
    const fields = ['url', 'rule', 'address', 'requestId', 'host'];
    conditions.push(anyContains(engine, { fields, shown }, text));
  }
  return conditions;
}

import { StoredAuditLog, type AuditFilter } from '../../src/core/access/operators/stored-audit-log.js';
import { systemClock } from '../../src/core/base/clock.js';
import { BlockHits, type HitFilter } from '../../src/core/operators/blocking/block-hits.js';
import type { Database } from '../../src/core/store/db.js';
import type { ReportLine } from '../support/report.js';
import { benchList } from './list-bench.js';

const ROWS = 1_000_000;
const PIECE = 50_000;
/** Between one row and the next. */
const STEP_MS = 1000;
const NOW_TS = systemClock.now();
const DAY = { from: NOW_TS - (ROWS / 2) * STEP_MS, to: NOW_TS - (ROWS / 2) * STEP_MS + 86_400_000 };
const FIRST_PAGE = { direction: 'forward', size: 25, cursor: null } as const;
const EVERY_HIT: HitFilter = {
  search: null,
  byAddress: null,
  rule: null,
  stage: null,
  host: null,
  fromTs: null,
  toTs: null,
};

/** First pages of a million refused addresses on 997 sites by 40 rules, and of a million entries of the audit. */
export async function benchHitsAndAudit(folder: string): Promise<ReportLine[]> {
  return [
    ...(await benchList(folder, { name: 'refusals', fill: fillHits, pages: pagesOfHits })),
    ...(await benchList(folder, { name: 'audit', fill: fillAudit, pages: pagesOfAudit })),
  ];
}

function numbersFrom(from: number): string {
  return `WITH RECURSIVE n(i) AS (SELECT CAST(${from + 1} AS BIGINT) UNION ALL
    SELECT i + 1 FROM n WHERE i < ${from + PIECE})`;
}

async function fillHits({ client }: Database): Promise<void> {
  const host = `'www.site-' || (i % 997) || '.example'`;
  for (let from = 0; from < ROWS; from += PIECE)
    await client.$executeRawUnsafe(
      `INSERT INTO blacklist_hit (ts, url, stage, rule, address, user_id, request_id, host, host_end)
      ${numbersFrom(from)} SELECT ${NOW_TS} - (${ROWS} - i) * ${STEP_MS}, 'https://' || ${host} || '/' || i,
        CASE WHEN i % 10 = 0 THEN 'redirect' ELSE 'target' END, 'rule-' || (i % 40),
        CASE WHEN i % 2 = 0 THEN '10.1.2.3' ELSE NULL END, '@user:example.org', 'request-' || i, ${host},
        'site-' || (i % 997) || '.example' FROM n`,
    );
  await client.$executeRawUnsafe('ANALYZE');
}

function pagesOfHits(database: Database): ReadonlyMap<string, () => Promise<unknown>> {
  const hits = new BlockHits(database);
  const page = (filter: Partial<HitFilter>) => async () => {
    const wanted = { ...EVERY_HIT, ...filter };
    await hits.page(wanted, FIRST_PAGE);
    await hits.count(wanted);
  };
  return new Map<string, () => Promise<unknown>>([
    ['latest first', page({})],
    ['of one rule', page({ rule: 'rule-7' })],
    ['of one rule on a day', page({ rule: 'rule-7', fromTs: DAY.from, toTs: DAY.to })],
    ['of a rule that never refused', page({ rule: 'rule-x' })],
    ['of a host', page({ host: 'www.site-1.example' })],
    ['of a host with subdomains', page({ host: '.site-1.example' })],
    ['of a stage that never was', page({ stage: 'oembed' })],
    ['by address', page({ byAddress: true })],
    ['a search that finds all', page({ search: 'site-' })],
    ['a search that finds nothing', page({ search: 'nobody.example' })],
    ['how often each rule refused', () => hits.byRule()],
  ]);
}

async function fillAudit({ client }: Database): Promise<void> {
  for (let from = 0; from < ROWS; from += PIECE)
    await client.$executeRawUnsafe(
      `INSERT INTO audit_event (ts, actor, role, method, action, target_type, target_id, summary, outcome, address,
        request_id, detail)
      ${numbersFrom(from)} SELECT ${NOW_TS} - (${ROWS} - i) * ${STEP_MS}, 'operator-' || (i % 20), 'admin', 'token',
        CASE WHEN i % 1000 = 0 THEN 'deletePreviews' ELSE 'signIn' END, NULL, NULL, 'Sentence ' || i, 'ok',
        '192.0.2.1', 'request-' || i, NULL FROM n`,
    );
  await client.$executeRawUnsafe('ANALYZE');
}

function pagesOfAudit(database: Database): ReadonlyMap<string, () => Promise<unknown>> {
  const audit = new StoredAuditLog(database, systemClock);
  const page = (wanted: AuditFilter) => async () => {
    await audit.page(wanted, FIRST_PAGE);
    await audit.count(wanted);
  };
  return new Map<string, () => Promise<unknown>>([
    ['latest first', page({})],
    ['changes only, one in a thousand', page({ changesOnly: true })],
    ['changes only, on a day', page({ changesOnly: true, afterTs: DAY.from, beforeTs: DAY.to })],
    ['of one actor', page({ actor: 'operator-3' })],
    ['of one operation', page({ action: 'deletePreviews' })],
    ['failed, of which there are none', page({ outcome: 'failed' })],
    ['a search that finds nothing', page({ search: 'nobody' })],
  ]);
}

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { ReportLine } from '../support/report.js';
import { oneKey, send } from '../support/requests.js';
import { takeCoverage, withCoverage, type Coverage } from './files.js';

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));
const TIMES = 20;
/** Statements that no model of Prisma's client can say; the copy sets counters of PostgreSQL. */
const RAW_FILES = ['core/store/copy-database.ts', 'core/store/hot-sql.ts'];

/**
 * Counts, by V8's precise coverage, which of the packages that carry the service have run: tweetnacl at a start, the
 * others in 20 first fetches and 20 cold previews.
 */
export async function benchPackages(folder: string): Promise<ReportLine[]> {
  return withCoverage(folder, async ({ server, keys, previews, pid, coverage }) => {
    const { port, authorization } = server;
    const load = (count: number) =>
      previews.load.run({
        port,
        authorization,
        paths: previews.take('page', count),
        atOnce: 1,
        durationMs: null,
      });
    // The thread that reads pages starts with the first one.
    await load(1);
    const atStart = await takeCoverage(pid, coverage);
    for (const name of keys.take(TIMES, 'discovered')) await send(port, oneKey(name, keys.keyId));
    await load(TIMES);
    return linesOf(atStart, await takeCoverage(pid, coverage));
  });
}

function linesOf(atStart: readonly Coverage[], requests: readonly Coverage[]): ReportLine[] {
  const statements =
    calls(requests, '/sqlite/connection.js', 'query') + calls(requests, '/sqlite/connection.js', 'execute');
  const client = '/@prisma/client/';
  const raw = calls(requests, client, '$queryRaw') + calls(requests, client, '$executeRaw');
  const asked = calls(requests, client, '_request');
  const loaded = calls(requests, '/cheerio/', 'load');
  const elsewhere = rawFiles().filter((file) => !RAW_FILES.includes(file));
  return [
    {
      ...line('tweetnacl: signatures at the start', calls(atStart, '/tweetnacl/', 'crypto_sign')),
      mark: 'at least 1',
      reached: calls(atStart, '/tweetnacl/', 'crypto_sign') >= 1,
    },
    {
      ...line(`express: requests handled of ${2 * TIMES}`, calls(requests, '/express/', 'handle')),
      mark: `at least ${2 * TIMES}`,
      reached: calls(requests, '/express/', 'handle') >= 2 * TIMES,
    },
    {
      ...line(`cheerio: pages loaded of ${TIMES}`, loaded),
      mark: `at least ${TIMES}`,
      reached: loaded >= TIMES,
    },
    {
      case: `Prisma: statements of ${TIMES} first fetches and ${TIMES} previews`,
      figures: { statements, asked, raw },
      text: `${statements} statements for ${asked} requests of its client, ${raw} of them by hot-sql.ts`,
      mark: elsewhere.length === 0 ? 'no other SQL' : `no SQL in ${elsewhere.join(', ')}`,
      reached: asked > 0 && elsewhere.length === 0,
    },
  ];
}

function line(name: string, count: number): Pick<ReportLine, 'case' | 'figures' | 'text'> {
  return { case: name, figures: { count }, text: String(count) };
}

/** How often functions of this name in these files have run. */
function calls(coverage: readonly Coverage[], path: string, name: string): number {
  let count = 0;
  for (const { result } of coverage)
    for (const { url, functions } of result)
      if (url.includes(path))
        for (const { functionName, ranges } of functions)
          if (functionName === name) count += ranges[0]?.count ?? 0;
  return count;
}

/** Sources that send SQL of their own. */
function rawFiles(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('/generated/'))
    .filter((file) => /\$(?:query|execute)Raw/.test(readFileSync(join(SOURCES, file), 'utf8')))
    .toSorted();
}

import { createHash, randomBytes, randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';

import { encodeKeyEntry } from '@vidimus/tlog';

import { createLogKeyFile } from '../../src/core/notary/log/log-key-file.js';
import { migrate } from '../../src/core/store/migrate.js';
import { createLogger } from '../../src/core/base/logger.js';
import { openTestLog, queueEntries, type TestLog } from '../../tests/support/store/test-log.js';
import { measureLogBesideKeys } from './log-beside-keys.js';
import { startWorker } from '../support/child.js';
import { compare, type Contestants } from '../support/compare.js';
import { formatNumber, type ReportLine } from '../support/report.js';
import type { BenchRequest } from '../support/requests.js';
import { startVidimus } from '../support/vidimus-process.js';

const ENTRIES = 1_000_000;
const BATCH = 2048;
const PROOFS = 1000;
const MAX_ENTRY_BYTES = 600;
const MAX_PROOF_MS = 5;
const MIN_RATIO = 0.5;
const MIB = 1024 * 1024;

/** The log of a million entries: appending, disk, memory, proofs, and tiles as clients get them. */
export async function benchLog(folder: string): Promise<ReportLine[]> {
  const path = join(folder, 'vidimus.db');
  const options = { engine: 'sqlite', path, synchronous: 'normal' } as const;
  await migrate(options, createLogger({ level: 'silent' }));
  const emptyBytes = statSync(path).size;
  const key = await createLogKeyFile(join(folder, 'log.key'), 'notary.bench.example/log');
  const log = await openTestLog({ options, cleanup: async () => undefined }, { key });
  const lines = await measureAppending(log);
  await log.database.client.$queryRawUnsafe('PRAGMA wal_checkpoint(TRUNCATE)');
  const bytes = (statSync(path).size - emptyBytes) / ENTRIES;
  lines.push({
    case: 'log: disk for an entry of 300 bytes, its hashes and indexes',
    figures: { bytes },
    text: `${formatNumber(bytes)} bytes`,
    mark: `below ${MAX_ENTRY_BYTES} bytes`,
    reached: bytes < MAX_ENTRY_BYTES,
  });
  lines.push(await measureProofs(log));
  await log.close();
  return [...lines, ...(await measureTiles(folder)), ...(await measureLogBesideKeys(folder))];
}

/** Entries as records of servers with one key make them. */
function entryOf(index: number): Buffer {
  return encodeKeyEntry(
    {
      event: 'record',
      serverName: `matrix-${index}.example.org`,
      recordSha256: createHash('sha256').update(String(index)).digest('hex'),
      observedTs: 1_800_000_000_000,
    },
    {
      valid_until_ts: 1_800_000_000_000 + index,
      verify_keys: { 'ed25519:a_AbCd': { key: randomBytes(32).toString('base64').slice(0, 43) } },
    },
  );
}

async function measureAppending(log: TestLog): Promise<ReportLine[]> {
  let [ms, cpuMs, earlyBytes] = [0, 0, 0];
  while (log.log.size < ENTRIES) {
    const { size } = log.log;
    const count = Math.min(BATCH, ENTRIES - size);
    await queueEntries(
      log.database,
      Array.from({ length: count }, (_, index) => entryOf(size + index)),
    );
    const before = process.cpuUsage();
    const startedMs = performance.now();
    await log.sequencer.run();
    ms += performance.now() - startedMs;
    const { user, system } = process.cpuUsage(before);
    cpuMs += (user + system) / 1000;
    if (earlyBytes === 0 && log.log.size > ENTRIES / 10) earlyBytes = process.memoryUsage().rss;
  }
  const moreMib = (process.memoryUsage().rss - earlyBytes) / MIB;
  return [
    {
      case: `log: ${ENTRIES} entries appended from the queue`,
      figures: { seconds: ms / 1000, cpuMicroseconds: (cpuMs * 1000) / ENTRIES },
      text: `${formatNumber(ms / 1000)} s, ${formatNumber((cpuMs * 1000) / ENTRIES)} µs CPU an entry`,
      mark: null,
      reached: null,
    },
    {
      case: 'log: memory at the end over that at a tenth',
      figures: { moreMib },
      text: `${formatNumber(moreMib)} MiB`,
      mark: 'at most 64 MiB',
      reached: moreMib <= 64,
    },
  ];
}

async function measureProofs({ log, database }: TestLog): Promise<ReportLine> {
  const indexes = Array.from({ length: PROOFS }, () => randomInt(ENTRIES));
  const rows = await database.client.logEntry.findMany({ where: { seq: { in: indexes } } });
  const before = process.cpuUsage();
  for (const { recordSha256 } of rows) await log.proveRecord(Buffer.from(recordSha256).toString('hex'));
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000 / rows.length;
  return {
    case: `log: a proof at ${ENTRIES} entries`,
    figures: { cpuMs },
    text: `${formatNumber(cpuMs)} ms CPU`,
    mark: `below ${MAX_PROOF_MS} ms`,
    reached: cpuMs < MAX_PROOF_MS,
  };
}

async function measureTiles(folder: string): Promise<ReportLine[]> {
  const vidimus = await startVidimus({ folder, settings: { log: { key_path: join(folder, 'log.key') } } });
  const contestants: Contestants = { vidimus, bare: startWorker('bare-server'), load: startWorker('load') };
  const lines: ReportLine[] = [];
  try {
    for (const path of ['tile/0/500', 'tile/entries/500', 'checkpoint']) {
      const request: BenchRequest = { method: 'GET', path: `/_svc/vidimus/v1/log/${path}`, body: null };
      const { vidimus: own, bare, ratio } = await compare(contestants, request, false);
      lines.push({
        case: `log: GET ${path} from memory`,
        figures: { perSecond: own.perSecond, cpuMs: own.cpuMs, barePerSecond: bare.perSecond, ratio },
        text: `${formatNumber(own.perSecond)}/s; bare ${formatNumber(bare.perSecond)}/s: ${Math.round(ratio * 100)} %`,
        mark: 'at least 50 % of bare',
        reached: ratio >= MIN_RATIO,
      });
    }
  } finally {
    await Promise.all([contestants.bare.end(), contestants.load.end(), vidimus.stop()]);
  }
  return lines;
}

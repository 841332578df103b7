import type { KeyWorld } from '../support/key-world.js';
import { cpuMsOf } from '../support/process-usage.js';
import { formatNumber, type ReportLine } from '../support/report.js';
import { batch, countRecords, send } from '../support/requests.js';

const SERVERS = 100;
const MARK_MS = 1000;

interface Server {
  pid: number;
  port: number;
}

interface Fetch {
  records: number;
  ms: number;
  cpuMs: number | null;
}

/** One POST about all of them. */
export async function fetchAll(
  server: Server,
  serverNames: readonly string[],
  keyId: string,
): Promise<Fetch> {
  const cpuBefore = await cpuMsOf(server.pid);
  const startedMs = performance.now();
  const answer = await send(server.port, batch(serverNames, keyId, Date.now()));
  const ms = performance.now() - startedMs;
  const cpuAfter = await cpuMsOf(server.pid);
  const cpuMs = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore;
  return { records: countRecords(answer), ms, cpuMs };
}

/** One POST about 100 servers nobody has asked about, two times: before and after the code is warm. */
export async function measureFirstFetch(
  server: Server,
  world: KeyWorld,
  kind: 'discovered' | 'explicit',
): Promise<{ line: ReportLine; serverNames: string[] }> {
  const firstNames = world.take(SERVERS, kind);
  const first = await fetchAll(server, firstNames, world.keyId);
  const second = await fetchAll(server, world.take(SERVERS, kind), world.keyId);
  const slower = Math.max(first.ms, second.ms);
  const cpu = (fetched: Fetch) => (fetched.cpuMs === null ? '' : ` (${formatNumber(fetched.cpuMs)} ms CPU)`);
  const line: ReportLine = {
    case: `first fetch of 100 servers, ${kind === 'explicit' ? 'port in the name' : 'full discovery'}`,
    figures: {
      firstMs: first.ms,
      secondMs: second.ms,
      firstCpuMs: first.cpuMs,
      secondCpuMs: second.cpuMs,
      records: Math.min(first.records, second.records),
    },
    text:
      `${formatNumber(first.ms)} ms${cpu(first)}, then ${formatNumber(second.ms)} ms${cpu(second)}; ` +
      `${first.records} and ${second.records} records`,
    mark: `100 records in less than ${formatNumber(MARK_MS)} ms`,
    reached: slower < MARK_MS && first.records === SERVERS && second.records === SERVERS,
  };
  return { line, serverNames: firstNames };
}

/** 99 servers that answer and one that never does. */
export async function measureBlackHole(
  server: Server,
  world: KeyWorld,
  deadlineMs: number,
): Promise<ReportLine> {
  const good = world.take(SERVERS - 1, 'explicit');
  const { ms, records } = await fetchAll(server, [world.blackHole, ...good], world.keyId);
  const limitMs = deadlineMs + 250;
  return {
    case: 'first fetch of 99 servers and a black hole',
    figures: { ms, records },
    text: `${formatNumber(ms)} ms, ${records} records`,
    mark: `99 records within ${formatNumber(limitMs)} ms (deadline ${formatNumber(deadlineMs)})`,
    reached: ms <= limitMs && records === SERVERS - 1,
  };
}

import type { KeyWorld, NameKind } from '../support/key-world.js';
import { cpuMsOf } from '../support/process-usage.js';
import { formatNumber, type ReportLine } from '../support/report.js';
import { countRecords, oneKey, send } from '../support/requests.js';

const SERVERS = 300;
const AT_ONCE = 4;
const MARK_CPU_MS = { sqlite: 3, postgresql: 4.5 };
const HOW: Readonly<Record<NameKind, string>> = {
  explicit: 'port in the name',
  discovered: 'full discovery',
  delegated: 'delegated to where its document stands',
};

/** Servers nobody has asked about, each in a GET of its own, four at once: the second half, when the code is warm. */
export async function measureSingleFetches(
  server: { pid: number; port: number },
  world: KeyWorld,
  { kind, engine = 'sqlite' }: { kind: NameKind; engine?: 'sqlite' | 'postgresql' },
): Promise<ReportLine> {
  const [warmUp, measured] = [world.take(SERVERS, kind), world.take(SERVERS, kind)];
  await fetchSingly(server.port, world.keyId, warmUp);
  const before = await cpuMsOf(server.pid);
  const startedMs = performance.now();
  await fetchSingly(server.port, world.keyId, measured);
  const perSecond = (SERVERS * 1000) / (performance.now() - startedMs);
  const cpuMs = since(before, await cpuMsOf(server.pid));
  return {
    case: `first fetch of a server, single GETs, ${HOW[kind]}${engine === 'sqlite' ? '' : ', PostgreSQL'}`,
    figures: { cpuMs, perSecond },
    text: `${formatNumber(cpuMs ?? 0)} ms CPU, ${formatNumber(perSecond)}/s`,
    mark: `${MARK_CPU_MS[engine]} ms CPU`,
    reached: cpuMs === null ? null : cpuMs <= MARK_CPU_MS[engine],
  };
}

/** Processor time of one fetch. */
function since(beforeMs: number | null, afterMs: number | null): number | null {
  return beforeMs === null || afterMs === null ? null : (afterMs - beforeMs) / SERVERS;
}

async function fetchSingly(port: number, keyId: string, serverNames: readonly string[]): Promise<void> {
  const waiting = [...serverNames];
  const fetchNext = async (): Promise<void> => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const records = countRecords(await send(port, oneKey(name, keyId)));
      if (records !== 1) throw new Error(`${name}: ${records} records`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fetchNext));
}

import type { KeyWorld } from '../support/key-world.js';
import { cpuMsOf } from '../support/process-usage.js';
import { formatNumber, type ReportLine } from '../support/report.js';
import { countRecords, oneKey, send } from '../support/requests.js';

const SERVERS = 300;
const AT_ONCE = 4;
const MARK_CPU_MS = 3;

/** Servers nobody has asked about, each in a GET of its own, four at once: the second half, when the code is warm. */
export async function measureSingleFetches(
  server: { pid: number; port: number },
  world: KeyWorld,
  kind: 'discovered' | 'explicit',
): Promise<ReportLine> {
  await fetchSingly(server.port, world.keyId, world.take(SERVERS, kind));
  const before = await cpuMsOf(server.pid);
  const startedMs = performance.now();
  await fetchSingly(server.port, world.keyId, world.take(SERVERS, kind));
  const perSecond = (SERVERS * 1000) / (performance.now() - startedMs);
  const after = await cpuMsOf(server.pid);
  const cpuMs = before === null || after === null ? null : (after - before) / SERVERS;
  return {
    case: `first fetch of a server, single GETs, ${kind === 'explicit' ? 'port in the name' : 'full discovery'}`,
    figures: { cpuMs, perSecond },
    text: `${formatNumber(cpuMs ?? 0)} ms CPU, ${formatNumber(perSecond)}/s`,
    mark: `${MARK_CPU_MS} ms CPU`,
    reached: cpuMs === null ? null : cpuMs <= MARK_CPU_MS,
  };
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

import type { Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import { ReachedBounds } from '../../../base/places/reached-bounds.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { listOf, sql } from '../../../store/sql/sql.js';
import { domainOf } from './failed-servers.js';

/** How many alarms may wait to be acknowledged. */
export interface AlarmLimits {
  /** Of the servers below one registrable domain. */
  maxPerDomain: number;
  /** Of all servers. */
  maxTotal: number;
}

export interface AlarmBoundsOptions extends AlarmLimits {
  clock: Clock;
  logger: Logger;
  /** Told of each alarm that gives way. */
  onBound?: (bound: AlarmBound) => void;
}

/** A bound that was reached: `domain` keeps a new alarm from being raised, `total` that or an older one. */
export type AlarmBound = 'domain' | 'total';

/** A server whose alarms nobody has acknowledged yet. */
interface OpenServer {
  serverName: string;
  alarms: number;
}

/**
 * Bounds the alarms that wait for somebody to acknowledge them. Whoever runs servers makes events of their keys at will:
 * beyond the bound of a domain its further ones raise no alarm. Beyond that of all, the domain that has the most gives
 * way with its latest alarm, which stays an event that nobody has acknowledged.
 */
export class AlarmBounds {
  readonly bounds: ReachedBounds<AlarmBound>;

  constructor(private readonly options: AlarmBoundsOptions) {
    const { clock, logger, onBound } = options;
    const message = 'alarms of keys give way: too many wait to be acknowledged';
    this.bounds = new ReachedBounds({ clock, log: (line) => logger.warn(line, message), count: onBound });
  }

  /**
   * Which events may raise an alarm, each given by the name of its server. Makes room for them inside the caller's
   * transaction, which is to append them.
   */
  async admit(runner: SqlRunner, serverNames: readonly string[]): Promise<boolean[]> {
    if (serverNames.length === 0) return [];
    const open = await openServers(runner);
    const gone: string[] = [];
    const admitted = serverNames.map((serverName) => this.#admitOne(open, domainOf(serverName), gone));
    if (gone.length > 0)
      await runner.execute(
        sql`UPDATE remote_server SET alarm_seq = NULL, alarm_count = 0 WHERE server_name IN (${listOf(gone)})`,
      );
    return admitted;
  }

  #admitOne(open: OpenByDomain, domain: string, gone: string[]): boolean {
    const { maxPerDomain, maxTotal } = this.options;
    const own = open.of(domain);
    if (own >= maxPerDomain) {
      this.bounds.note('domain', { domain, alarms: own });
      return false;
    }
    while (open.total >= maxTotal) {
      const largest = open.largest();
      this.bounds.note('total', { domain: largest?.domain ?? domain, alarms: open.total });
      if (largest === null || largest.alarms <= own) return false;
      gone.push(open.dropLatest(largest.domain));
    }
    open.add(domain);
    return true;
  }
}

/** Alarms that wait, by domain. */
class OpenByDomain {
  readonly #domains = new Map<string, { alarms: number; servers: OpenServer[] }>();
  total = 0;

  /** Servers in the order of their alarms. */
  constructor(servers: readonly OpenServer[]) {
    for (const server of servers) {
      const entry = this.#entry(domainOf(server.serverName));
      entry.servers.push(server);
      entry.alarms += server.alarms;
      this.total += server.alarms;
    }
  }

  of(domain: string): number {
    return this.#domains.get(domain)?.alarms ?? 0;
  }

  add(domain: string): void {
    this.#entry(domain).alarms += 1;
    this.total += 1;
  }

  /** The domain with the most; of several with as many the one of the latest alarm. `null`: all are just being raised. */
  largest(): { domain: string; alarms: number } | null {
    let largest: { domain: string; alarms: number } | null = null;
    for (const [domain, { alarms, servers }] of this.#domains)
      if (servers.length > 0 && alarms >= (largest?.alarms ?? 0)) largest = { domain, alarms };
    return largest;
  }

  /** Returns the name of the server whose alarms went. */
  dropLatest(domain: string): string {
    const entry = this.#entry(domain);
    const { serverName, alarms } = entry.servers.pop() ?? { serverName: '', alarms: 0 };
    entry.alarms -= alarms;
    this.total -= alarms;
    return serverName;
  }

  /** The one asked for last comes last. */
  #entry(domain: string): { alarms: number; servers: OpenServer[] } {
    const entry = this.#domains.get(domain) ?? { alarms: 0, servers: [] };
    this.#domains.delete(domain);
    this.#domains.set(domain, entry);
    return entry;
  }
}

async function openServers(runner: SqlRunner): Promise<OpenByDomain> {
  const rows = await runner.query<{ server_name: string; alarm_count: number }>(
    sql`SELECT server_name, alarm_count FROM remote_server WHERE alarm_seq IS NOT NULL ORDER BY alarm_seq`,
  );
  return new OpenByDomain(
    rows.map((row) => ({ serverName: row.server_name, alarms: Math.max(1, row.alarm_count) })),
  );
}

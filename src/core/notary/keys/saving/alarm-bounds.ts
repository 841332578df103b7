import type { Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import { ReachedBounds } from '../../../base/limits/reached-bounds.js';
import type { DbTransaction } from '../../../store/db.js';
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
  async admit(tx: DbTransaction, serverNames: readonly string[]): Promise<boolean[]> {
    if (serverNames.length === 0) return [];
    const open = await openServers(tx);
    const gone: string[] = [];
    while (open.total > this.options.maxTotal) this.#dropOne(open, gone);
    const admitted = serverNames.map((serverName) => this.#admitOne(open, domainOf(serverName), gone));
    // On PostgreSQL two instances may wait for each other here: then one of them tries again.
    if (gone.length > 0)
      await tx.remoteServer.updateMany({
        where: { serverName: { in: gone } },
        data: { alarmSeq: null, alarmCount: 0 },
      });
    return admitted;
  }

  #admitOne(open: OpenByDomain, domain: string, gone: string[]): boolean {
    const { maxPerDomain, maxTotal } = this.options;
    const own = open.of(domain);
    if (own >= maxPerDomain) {
      this.bounds.note('domain', { domain, alarms: own });
      return false;
    }
    if (open.total >= maxTotal && !this.#dropOne(open, gone, own)) {
      this.bounds.note('total', { domain, alarms: open.total });
      return false;
    }
    open.add(domain);
    return true;
  }

  /** Whether a domain that has more alarms than so many gave way with its latest. */
  #dropOne(open: OpenByDomain, gone: string[], own = 0): boolean {
    const largest = open.largest();
    if (largest === null || largest.alarms <= own) return false;
    this.bounds.note('total', { domain: largest.domain, alarms: open.total });
    gone.push(open.dropLatest(largest));
    return true;
  }
}

/** Alarms of one domain that wait. */
interface OpenDomain {
  domain: string;
  alarms: number;
  /** In the order of their alarms; not those whose first alarm is just being raised. */
  servers: OpenServer[];
}

/** Alarms that wait, by domain. */
class OpenByDomain {
  readonly #domains = new Map<string, OpenDomain>();
  /** Those that had so many at some time, the latest to have them last. */
  readonly #byAlarms = new Map<number, OpenDomain[]>();
  total = 0;

  of(domain: string): number {
    return this.#domains.get(domain)?.alarms ?? 0;
  }

  add(domain: string): void {
    this.#change(this.#entry(domain), 1);
  }

  /** Servers come in the order of their alarms. */
  addServer(server: OpenServer): void {
    const entry = this.#entry(domainOf(server.serverName));
    entry.servers.push(server);
    this.#change(entry, server.alarms);
  }

  /** The domain with the most; of several with as many the one of the latest alarm. `null`: all are just being raised. */
  largest(): OpenDomain | null {
    while (this.#byAlarms.size > 0) {
      const alarms = Math.max(...this.#byAlarms.keys());
      const entries = this.#byAlarms.get(alarms) ?? [];
      const last = entries.at(-1);
      if (last === undefined) this.#byAlarms.delete(alarms);
      else if (last.alarms === alarms && last.servers.length > 0) return last;
      else entries.pop();
    }
    return null;
  }

  /** Returns the name of the server whose alarms went. */
  dropLatest(entry: OpenDomain): string {
    const { serverName, alarms } = entry.servers.pop() ?? { serverName: '', alarms: 0 };
    this.#change(entry, -alarms);
    return serverName;
  }

  #change(entry: OpenDomain, by: number): void {
    entry.alarms += by;
    this.total += by;
    const entries = this.#byAlarms.get(entry.alarms) ?? [];
    entries.push(entry);
    this.#byAlarms.set(entry.alarms, entries);
  }

  #entry(domain: string): OpenDomain {
    const entry = this.#domains.get(domain) ?? { domain, alarms: 0, servers: [] };
    this.#domains.set(domain, entry);
    return entry;
  }
}

async function openServers({ remoteServer }: DbTransaction): Promise<OpenByDomain> {
  const rows = await remoteServer.findMany({
    where: { alarmSeq: { not: null } },
    orderBy: { alarmSeq: 'asc' },
    select: { serverName: true, alarmCount: true },
  });
  const open = new OpenByDomain();
  for (const { serverName, alarmCount } of rows)
    open.addServer({ serverName, alarms: Math.max(1, alarmCount) });
  return open;
}

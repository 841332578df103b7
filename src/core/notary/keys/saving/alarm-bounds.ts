import { addCount } from '../../../base/add-count.js';
import type { Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import { ReachedBounds } from '../../../base/limits/reached-bounds.js';
import type { DbTransaction } from '../../../store/db.js';
import { domainOf } from '../../federation/server-name.js';

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
  /** Called for each alarm that is dropped. */
  onBound?: (bound: AlarmBound) => void;
}

/** A bound that was reached: `domain` keeps a new alarm from being raised, `total` that or an older one. */
export type AlarmBound = 'domain' | 'total';

/** A server whose alarms nobody has acknowledged yet. */
interface OpenServer {
  serverName: string;
  domain: string;
  alarms: number;
}

/**
 * Limits unacknowledged alarms, because an operator of a server can change its keys at will. Beyond the limit of a
 * domain its further events raise no alarm. Beyond the total, the domain with the most alarms loses its latest one,
 * which stays as an unacknowledged event.
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
    // In the order of their alarms.
    const open = await openServers(tx);
    const counts = new Map<string, number>();
    for (const { domain, alarms } of open) addCount(counts, domain, alarms);
    const gone: string[] = [];
    const admitted = serverNames.map((serverName) => {
      const domain = domainOf(serverName);
      const own = counts.get(domain) ?? 0;
      const total = [...counts.values()].reduce((sum, alarms) => sum + alarms, 0);
      if (own >= this.options.maxPerDomain) {
        this.bounds.note('domain', { domain, alarms: own });
        return false;
      }
      if (total >= this.options.maxTotal) {
        this.bounds.note('total', { domain, alarms: total });
        const last = latestOfLargest(open, counts);
        if (last === undefined || (counts.get(last.domain) ?? 0) <= own) return false;
        open.splice(open.indexOf(last), 1);
        addCount(counts, last.domain, -last.alarms);
        gone.push(last.serverName);
      }
      addCount(counts, domain, 1);
      return true;
    });
    // On PostgreSQL two instances may wait for each other here: then one of them tries again.
    if (gone.length > 0)
      await tx.remoteServer.updateMany({
        where: { serverName: { in: gone } },
        data: { alarmSeq: null, alarmCount: 0 },
      });
    return admitted;
  }
}

/** Of the domain with the most; of several with as many the one of the latest alarm. */
function latestOfLargest(
  open: readonly OpenServer[],
  counts: ReadonlyMap<string, number>,
): OpenServer | undefined {
  const most = Math.max(...counts.values());
  return open.findLast(({ domain }) => counts.get(domain) === most);
}

async function openServers({ remoteServer }: DbTransaction): Promise<OpenServer[]> {
  const rows = await remoteServer.findMany({
    where: { alarmSeq: { not: null } },
    orderBy: { alarmSeq: 'asc' },
    select: { serverName: true, alarmCount: true },
  });
  return rows.map(({ serverName, alarmCount }) => ({
    serverName,
    domain: domainOf(serverName),
    alarms: Math.max(1, alarmCount),
  }));
}

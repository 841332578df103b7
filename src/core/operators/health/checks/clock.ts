import { HOUR_MS, SECOND_MS, type Clock } from '../../../base/clock.js';
import { clockError } from '../../../base/judged-clock.js';
import type { PeerTime } from '../../../notary/federation/peer-dates.js';
import { failed, ok, unproved, warning, type Check } from '../health.js';

export interface ClockSources {
  clock: Clock;
  /** When this program was made. */
  programTs: number;
  /** By the database server, POSIX ms; `null`: SQLite has no clock of its own. */
  databaseTs: () => Promise<number | null>;
  /** Asks servers whose keys are stored; `null`: too few answered. */
  askPeers: (signal: AbortSignal) => Promise<PeerTime | null>;
}

const ADVICE = 'Run a time service such as chrony; keys and certificates expire by this clock.';
/** `Date` counts whole seconds, and answers take their time. */
const MAX_DIFFERENCE_MS = 10 * SECOND_MS;

/** Whether our clock agrees with the database and, asked once an hour, with other servers. */
export function clockCheck({ clock, programTs, databaseTs, askPeers }: ClockSources): Check {
  let asked: { ts: number; time: PeerTime | null } = { ts: -Infinity, time: null };
  const check: Check['check'] = async (signal) => {
    const wrong = clockError(clock.now(), programTs);
    if (wrong !== null) return failed(wrong, ADVICE);
    const otherTs = await databaseTs();
    if (otherTs !== null && Math.abs(clock.now() - otherTs) > MAX_DIFFERENCE_MS)
      return warning('This machine and the database differ by more than 10 s.', ADVICE);
    if (Math.abs(clock.now() - asked.ts) >= HOUR_MS || asked.time === null)
      asked = { ts: clock.now(), time: await askPeers(signal) };
    if (asked.time === null && otherTs !== null)
      return ok('This machine and the database agree on the time.');
    if (asked.time === null) return unproved('No other clock to compare with yet.');
    const { servers, differenceMs } = asked.time;
    if (Math.abs(differenceMs) <= MAX_DIFFERENCE_MS)
      return ok(`The time agrees with ${servers} other servers.`);
    const direction = differenceMs > 0 ? 'ahead of' : 'behind';
    const seconds = Math.round(Math.abs(differenceMs) / SECOND_MS);
    return warning(`This machine is ${seconds} s ${direction} ${servers} other servers.`, ADVICE);
  };
  return { id: 'clock', title: 'Clock', how: 'compared with other servers', isProbe: true, check };
}

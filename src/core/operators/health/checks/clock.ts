import { SECOND_MS, type Clock } from '../../../base/clock.js';
import { clockError } from '../../../base/judged-clock.js';
import { failed, ok, warning, type Check } from '../health.js';

export interface ClockSources {
  clock: Clock;
  /** When this program was made. */
  programTs: number;
  /** By the database server, POSIX ms; `null`: SQLite has no clock of its own. */
  databaseTs: () => Promise<number | null>;
}

const ADVICE = 'Run a time service such as chrony; keys and certificates expire by this clock.';
const MAX_DIFFERENCE_MS = 10 * SECOND_MS;

/** Whether our clock can be right, and agrees with the database. */
export function clockCheck({ clock, programTs, databaseTs }: ClockSources): Check {
  const check: Check['check'] = async () => {
    const wrong = clockError(clock.now(), programTs);
    if (wrong !== null) return failed(wrong, ADVICE);
    const otherTs = await databaseTs();
    if (otherTs === null) return ok('The time is plausible, compared with the build date of this program.');
    if (Math.abs(clock.now() - otherTs) > MAX_DIFFERENCE_MS)
      return warning('This machine and the database differ by more than 10 s.', ADVICE);
    return ok('This machine and the database agree on the time.');
  };
  return {
    id: 'clock',
    title: 'Clock',
    how: 'compared with the build and the database',
    isProbe: true,
    check,
  };
}

import type { ReachedBound } from '../../../base/limits/reached-bounds.js';
import { counted } from '../../../base/text/strings.js';
import { ok, warning, type Check } from '../health.js';

/** Limits of one kind and how often each was reached. */
export interface Limit {
  /** Such as `Key fetch queue`. */
  title: string;
  bounds: { readonly lately: readonly ReachedBound<string>[] };
  /** Setting of each limit; others have none. */
  settings?: Readonly<Record<string, string>>;
  /** Whether reaching it refuses nobody but the sender anything; absent: it never does. */
  isHarmless?: (bound: string) => boolean;
}

/** Which limits clients and sites reached in the last hour. */
export function limitsCheck(limits: () => readonly Limit[]): Check {
  const sentenceOf = (reached: readonly string[]): string =>
    `Reached in the last hour: ${reached.join('; ')}.`;
  const check: Check['check'] = async () => {
    const reached = limits().flatMap(({ title, bounds, settings = {}, isHarmless = () => false }) =>
      bounds.lately.map(({ bound, times }) => ({
        isHarmless: isHarmless(bound),
        words: `${title}, ${settings[bound] ?? bound}, ${counted(times, 'time')}`,
      })),
    );
    if (reached.length === 0) return ok('No limit was reached in the last hour.');
    const harmful = reached.filter((each) => !each.isHarmless).map(({ words }) => words);
    if (harmful.length === 0) return ok(sentenceOf(reached.map(({ words }) => words)), '/settings');
    return warning(sentenceOf(harmful), 'The log names one client or domain a minute.', '/settings');
  };
  return { id: 'limits', title: 'Limits', how: 'counted by this process', check };
}

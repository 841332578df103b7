import type { MetricName, ReadSeries } from '../../overview/series/metric-store.js';
import { failed, ok, unproved, warning, type Check } from '../health.js';

export interface FailureShareSources extends Pick<Check, 'id' | 'title'> {
  series: ReadSeries;
  attempts: MetricName;
  failures: readonly MetricName[];
  /** The commonest reasons of the failures, one after another. */
  reasons: () => Promise<readonly string[]>;
  /** What is counted, such as `key fetches`. */
  noun: string;
  advice: string;
  href: string;
  failuresHref: string;
}

const WARNING_SHARE = 0.1;
const FAILED_SHARE = 0.5;
/** Fewer attempts are never a failed check: one stranger's typing would raise an alarm. */
const MIN_ATTEMPTS = 10;

/** How many attempts failed in the last hour. */
export function failureShareCheck({ id, title, ...sources }: FailureShareSources): Check {
  const { series, attempts, failures, reasons, noun, advice, href, failuresHref } = sources;
  const check: Check['check'] = async () => {
    const [all, ...bad] = await series([attempts, ...failures], 'hour');
    const failedCount = bad.reduce((sum, { total }) => sum + total, 0);
    const count = Math.max(all?.total ?? 0, failedCount);
    if (count === 0) return unproved(`No ${noun} in the last hour.`, href);
    const message = `${failedCount} of ${count} ${noun} failed in the last hour`;
    const share = failedCount / count;
    if (share < WARNING_SHARE) return ok(`${message}.`, href);
    const mostly = (await reasons()).slice(0, 2).join(' and ');
    const judge = share >= FAILED_SHARE && count >= MIN_ATTEMPTS ? failed : warning;
    return judge(mostly === '' ? `${message}.` : `${message}, mostly ${mostly}.`, advice, failuresHref);
  };
  return { id, title, how: 'counted in the last hour', check };
}

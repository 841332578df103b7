import { hostWords } from './host-filter.js';
import type { TimeRangeValue } from './time-range.js';

/** What filters share, as the address bar has it; empty texts and null do not matter. */
interface SharedFilter extends TimeRangeValue {
  q: string;
  host: string;
}

/** The filter in words for dialogs; `others` are the list's own, null for those that are not set. */
export function filterWords(
  { q, host, from, to }: SharedFilter,
  others: readonly (string | null)[],
): string[] {
  const words = [
    q === '' ? null : `“${q}” in it`,
    host === '' ? null : hostWords(host),
    ...others,
    from === '' ? null : `made after ${from.replace('T', ' ')}`,
    to === '' ? null : `made before ${to.replace('T', ' ')}`,
  ];
  return words.filter((word) => word !== null);
}

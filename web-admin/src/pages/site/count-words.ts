import type { TotalLike } from '../../ui/table/table-types.js';

/** "12", or "more than 10,000" when nobody counted to the end. */
export function countWords({ count, exact }: TotalLike): string {
  return `${exact ? '' : 'more than '}${count.toLocaleString('en')}`;
}

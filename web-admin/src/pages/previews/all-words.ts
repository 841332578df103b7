import type { TotalLike } from '../../ui/table/table-types.js';

/** "all 1,204 previews that match"; null when one page shows all of them. */
export function allWords(total: TotalLike, inView: number, noun: (count: number) => string): string | null {
  if (total.exact && total.count <= inView) return null;
  const more = total.exact ? '' : 'more than ';
  return `all ${more}${total.count.toLocaleString('en')} ${noun(total.count)} that match`;
}

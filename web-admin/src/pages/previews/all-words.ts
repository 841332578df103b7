import type { ListPage } from '../../ui/table/list-table.js';
import { counted } from '../../ui/text/counted.js';

/** "all 1,204 previews that match"; null when one page shows all of them, or nothing is known yet. */
export function allWords(list: ListPage<unknown> | undefined, noun: string): string | null {
  if (list === undefined) return null;
  const { nodes, totalCount } = list;
  return totalCount <= nodes.length ? null : `all ${counted(totalCount, noun)} that match`;
}

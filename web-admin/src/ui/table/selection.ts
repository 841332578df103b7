import { useState } from 'react';

/** What is ticked: single rows, or everything that matches the filter. */
export interface Selection {
  ids: ReadonlySet<string>;
  /** True: all rows that match the filter, also those on other pages. */
  all: boolean;
  /** Number of ticked rows; of `all` the list knows better. */
  count: number;
  toggle: (id: string) => void;
  setMany: (ids: readonly string[], on: boolean) => void;
  selectAll: () => void;
  clear: () => void;
}

/** Ticked rows of a list. `key` names filter and sort: another view starts with nothing ticked. */
export function useSelection(key: string): Selection {
  const [state, setState] = useState<{ key: string; ids: ReadonlySet<string>; all: boolean }>({
    key,
    ids: new Set(),
    all: false,
  });
  const now = state.key === key ? state : { key, ids: new Set<string>(), all: false };
  const setMany = (ids: readonly string[], on: boolean) => {
    const next = new Set(now.ids);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    setState({ key, ids: next, all: false });
  };
  return {
    ids: now.ids,
    all: now.all,
    count: now.ids.size,
    toggle: (id) => setMany([id], !now.ids.has(id)),
    setMany,
    selectAll: () => setState({ ...now, all: true }),
    clear: () => setState({ key, ids: new Set(), all: false }),
  };
}

import { useState } from 'react';

import { useLive } from './live-context.js';

export interface HeldList<Data> {
  /** What to draw. Rows keep their places until the user asks for the newer ones. */
  shown: Data | undefined;
  /** How many rows of the newest answer are not in view; 0 = nothing to announce. */
  newer: number;
  /** Draws the newest answer. */
  show: () => void;
}

interface Kept<Data> {
  key: string;
  data: Data | undefined;
}

/**
 * Keeps a polled list still: fields of the same rows follow at once, but when other rows would appear the old
 * ones stay until `show()`. `key` names filter, sort and page; another view, and what follows a change of our own,
 * is drawn at once.
 */
export function useHeldList<Data>(
  latest: Data | undefined,
  {
    key: view,
    idsOf,
    isPlaceholder,
  }: { key: string; idsOf: (data: Data) => string[]; isPlaceholder: boolean },
): HeldList<Data> {
  const { changes } = useLive();
  const key = `${changes} ${view}`;
  const [kept, setKept] = useState<Kept<Data>>({ key, data: latest });
  const show = () => setKept({ key, data: latest });
  if (isPlaceholder || latest === undefined || latest === kept.data)
    return { shown: isPlaceholder || kept.key === key ? (kept.data ?? latest) : latest, newer: 0, show };

  const old = kept.key === key && kept.data !== undefined ? idsOf(kept.data) : null;
  const known = new Set(old);
  const newer = old === null || old.length === 0 ? 0 : idsOf(latest).filter((id) => !known.has(id)).length;
  if (newer === 0) {
    setKept({ key, data: latest });
    return { shown: latest, newer: 0, show };
  }
  return { shown: kept.data, newer, show };
}

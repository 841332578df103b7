import { useState } from 'react';

import type { FirstRunStep } from './first-run-steps.js';

const KEY = 'vidimus.first-run';

interface Kept {
  isHidden: boolean;
  done: string[];
}

function read(): Kept {
  try {
    const value: Partial<Kept> = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return { isHidden: value.isHidden === true, done: Array.isArray(value.done) ? value.done : [] };
  } catch {
    return { isHidden: false, done: [] };
  }
}

/** Which steps are done and whether the card is hidden; kept in this browser. */
export function useFirstRun() {
  const [kept, setKept] = useState(read);
  const keep = (next: Kept) => {
    localStorage.setItem(KEY, JSON.stringify(next));
    setKept(next);
  };
  return {
    isHidden: kept.isHidden,
    done: kept.done,
    setDone: (id: FirstRunStep['id'], isDone: boolean) =>
      keep({ ...kept, done: [...kept.done.filter((known) => known !== id), ...(isDone ? [id] : [])] }),
    hide: () => keep({ ...kept, isHidden: true }),
  };
}

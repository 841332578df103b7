/** Runs the work; how many turns the event loop got meanwhile. */
export async function turnsWhile<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  try {
    return { result: await work(), turns };
  } finally {
    clearImmediate(next);
  }
}

/** The longest that the event loop was held up in one turn while the work ran, in milliseconds. */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let lastMs = performance.now();
  let next: NodeJS.Immediate;
  const look = (): void => {
    const nowMs = performance.now();
    longest = Math.max(longest, nowMs - lastMs);
    lastMs = nowMs;
    next = setImmediate(look);
  };
  next = setImmediate(look);
  try {
    await work();
    return longest;
  } finally {
    clearImmediate(next);
  }
}

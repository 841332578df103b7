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

/**
 * The most processor time, in milliseconds, that one turn of the event loop took while the work ran: of the whole
 * process, but not of other programs, which only add to what a clock shows.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = process.cpuUsage();
  let next: NodeJS.Immediate;
  const look = (): void => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.cpuUsage();
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

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

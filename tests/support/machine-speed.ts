const TEXT = JSON.stringify(
  Array.from({ length: 3000 }, (_, at) => ({ at, name: `name ${at}`, list: [at, at * 2] })),
);
/** Processor time of the piece of work below on the machine that bounds of tests were set on. */
const USUAL_MS = 2.2;

/**
 * How many times as long as the machine that bounds of processor time were set on this one takes for the same work, right
 * now; 1 where it takes no longer. To be multiplied with such a bound.
 */
export function slowness(): number {
  let leastMs = Infinity;
  for (let round = 0; round < 10; round += 1) {
    const before = process.cpuUsage();
    pieceOfWork();
    const { user, system } = process.cpuUsage(before);
    leastMs = Math.min(leastMs, (user + system) / 1000);
  }
  return Math.max(1, leastMs / USUAL_MS);
}

/** Splits, counts and parses a text of some 130 kB. */
function pieceOfWork(): number {
  const lengths = new Map<string, number>();
  for (const word of TEXT.split(/[^a-z0-9]+/)) lengths.set(word, (lengths.get(word) ?? 0) + word.length);
  return lengths.size + (JSON.parse(TEXT) as unknown[]).length;
}

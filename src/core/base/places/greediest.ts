/**
 * Whoever holds the most, if that is more than twice what the newcomer would have with one more; else `null`. Half of
 * what is left for everybody leaves nothing once a dozen have taken theirs, so that whoever has much gives way.
 */
export function greediestOf(held: Iterable<readonly [string, number]>, newcomerHolds: number): string | null {
  let [greediest, most]: [string | null, number] = [null, 2 * (newcomerHolds + 1)];
  for (const [key, count] of held) if (count > most) [greediest, most] = [key, count];
  return greediest;
}

/**
 * Whoever holds the most, if that is more than twice what the newcomer would have with one more; else `null`. Half of
 * what is left for everybody leaves nothing once a dozen have taken theirs, so that whoever has much gives way; not
 * who has no more than `sparedCount`.
 */
export function greediestOf(
  held: Iterable<readonly [string, number]>,
  newcomerHolds: number,
  sparedCount = 0,
): string | null {
  let [greediest, most]: [string | null, number] = [null, Math.max(2 * (newcomerHolds + 1), sparedCount)];
  for (const [key, count] of held) if (count > most) [greediest, most] = [key, count];
  return greediest;
}

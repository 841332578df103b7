/** `1 entry`, `1,204 entries`. */
export function entryCount(count: number): string {
  return count === 1 ? '1 entry' : `${count.toLocaleString('en')} entries`;
}

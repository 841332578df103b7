/** The known name that needs the fewest edits (at most a third of its length) to become `name`, or null. */
export function nearestName(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let fewest = Infinity;
  for (const candidate of known) {
    const limit = Math.max(1, candidate.length / 3);
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const edits = editDistance(name.toLowerCase(), candidate);
    if (edits > limit || edits >= fewest) continue;
    best = candidate;
    fewest = edits;
  }
  return best;
}

/** Insertions, deletions and replacements of characters (Levenshtein). */
function editDistance(from: string, to: string): number {
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, letter] of from.split('').entries()) {
    let left = row + 1;
    const current = [left];
    for (const [column, wanted] of to.split('').entries()) {
      const replaced = (last[column] ?? Infinity) + Number(letter !== wanted);
      left = Math.min(left + 1, (last[column + 1] ?? Infinity) + 1, replaced);
      current.push(left);
    }
    last = current;
  }
  return last[to.length] ?? Infinity;
}

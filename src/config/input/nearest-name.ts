/** The known name that needs the fewest edits (at most a third of its length) to become `name`, or null. */
export function nearestName(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const limit = Math.max(1, Math.floor(candidate.length / 3));
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const edits = editDistance(name.toLowerCase(), candidate);
    if (edits <= limit && edits < fewest) {
      fewest = edits;
      best = candidate;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const cost = from[row - 1] === to[column - 1] ? 0 : 1;
      const options = [cell(last, column) + 1, cell(current, column - 1) + 1, cell(last, column - 1) + cost];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped && row > 1 && column > 1) options.push(cell(beforeLast, column - 2) + 1);
      current.push(Math.min(...options));
    }
    beforeLast = last;
    last = current;
  }
  return cell(last, to.length);
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

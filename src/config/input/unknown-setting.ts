import type { Problem } from '../config-errors.js';
import { SETTING_NAMES } from '../setting-tree.js';
import { replacementOf } from '../removed-settings.js';

/** What is wrong with a name that is no setting: what replaces it, or the setting that is meant. */
export function unknownSetting(path: readonly (string | number)[]): Pick<Problem, 'message' | 'suggestion'> {
  const replacement = replacementOf(path);
  if (replacement !== null) return { message: replacement };
  const suggestion = path.some((step) => typeof step === 'number') ? null : nearestSetting(path);
  return { message: 'unknown setting', suggestion };
}

/** The setting or group that is meant by a name: one of that name elsewhere, or that needs the fewest edits, at most a third. */
function nearestSetting(path: readonly (string | number)[]): string | null {
  const given = path.join('.');
  const elsewhere = SETTING_NAMES.find((name) => name.split('.').at(-1) === path.at(-1));
  if (elsewhere !== undefined) return elsewhere;
  const known = SETTING_NAMES.flatMap((name) =>
    name.split('.').map((_, end, all) => all.slice(0, end + 1).join('.')),
  );
  const found = known
    .map((name) => ({ name, edits: editDistance(given, name) }))
    .toSorted((one, other) => one.edits - other.edits)[0];
  return found !== undefined && found.edits <= found.name.length / 3 ? found.name : null;
}

/** Insertions, deletions and replacements of characters (Levenshtein). */
function editDistance(from: string, to: string): number {
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, letter] of from.split('').entries()) {
    const current = [row + 1];
    for (const [column, other] of to.split('').entries()) {
      const replaced = (last[column] ?? 0) + Number(letter !== other);
      current.push(Math.min((current[column] ?? 0) + 1, (last[column + 1] ?? 0) + 1, replaced));
    }
    last = current;
  }
  return last[to.length] ?? 0;
}

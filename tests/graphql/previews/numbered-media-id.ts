/** A media id that holds a number: every digit as one letter, `a` for 0. */
export function numberedMediaId(number: number): string {
  const letters = number
    .toString()
    .padStart(16, '0')
    .replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));
  return `2026-11-21_${letters}`;
}

/** Repeats the last value up to the next power of two, so that the engines know the statement of a list already. */
export function padded(values: readonly string[]): string[] {
  const size = 2 ** Math.ceil(Math.log2(values.length));
  return Array.from({ length: size }, (_, index) => values[Math.min(index, values.length - 1)] ?? '');
}

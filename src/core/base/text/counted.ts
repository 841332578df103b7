/** A number with its noun: `1 key record`, `2 key records`. For nouns that take an s. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

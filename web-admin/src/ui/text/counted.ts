/** A number as people write it, with its noun: `1 key record`, `1,204 key records`. For nouns that take an s. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** The lines of a list as alternatives of a regular expression. */
export function alternatives(list: string): string {
  return list.trim().replaceAll(/\s*\n\s*/g, '|');
}

const FAMILY = /^(?=# HELP )/m;

/**
 * One text in the Prometheus format of several, whose series differ in a label: the format wants all series of a
 * metric in one place, below one head.
 */
export function mergeFigures(texts: readonly string[]): string {
  const families = new Map<string, string>();
  for (const text of texts) {
    for (const block of text.split(FAMILY)) {
      const lines = block.split('\n').filter((line) => line !== '');
      const series = lines.filter((line) => !line.startsWith('#'));
      const [head = ''] = lines;
      const before = families.get(head) ?? lines.filter((line) => line.startsWith('#')).join('\n');
      families.set(head, [before, ...series].join('\n'));
    }
  }
  return [...families.values()]
    .filter((family) => family !== '')
    .map((family) => `${family}\n`)
    .join('\n');
}

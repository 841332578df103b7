/** A table of Markdown; cells are Markdown themselves, on one line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** A text as code, whatever it holds. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Replaces what stands between `<!-- generated: NAME -->` and `<!-- end -->`. Throws for a name without a region. */
export function fillRegions(text: string, regions: Readonly<Record<string, string>>): string {
  let filled = text;
  for (const [name, content] of Object.entries(regions)) {
    const pattern = new RegExp(`(<!-- generated: ${name} -->\\n)[^]*?(<!-- end -->)`);
    if (!pattern.test(filled)) throw new Error(`no region ${name}`);
    filled = filled.replace(pattern, (_all, begin: string, end: string) => `${begin}\n${content}\n\n${end}`);
  }
  return filled;
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll(/\s*\n\s*/g, '<br>');
}

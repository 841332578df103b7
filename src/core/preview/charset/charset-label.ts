const LONGEST_LABEL = 40;

/**
 * The encoding a label stands for (`latin1` gives `windows-1252`), or null when it is unknown, absurdly long
 * or one that must not be decoded (`replacement`, `x-user-defined`). WHATWG Encoding Standard §4.2.
 */
export function encodingOfLabel(label: string): string | null {
  if (label.length > LONGEST_LABEL) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

const EAST_ASIAN = new Set(['big5', 'euc-jp', 'euc-kr', 'gb18030', 'gbk', 'iso-2022-jp', 'shift_jis']);

/** What kind of encoding a name of `encodingOfLabel` is: how many bytes a character takes in it. */
export function encodingFamily(encoding: string): 'utf-8' | 'utf-16' | 'east-asian' | 'single-byte' {
  if (encoding === 'utf-8') return 'utf-8';
  if (encoding.startsWith('utf-16')) return 'utf-16';
  return EAST_ASIAN.has(encoding) ? 'east-asian' : 'single-byte';
}

/** Bytes of text that are judged; more of them change nothing, and cost ten times as much. */
const SAMPLE_BYTES = 4_096;
/** By the names of the library. Only scripts in which letters beyond ASCII stand beside each other. */
const ENCODINGS: ReadonlyMap<string, string> = new Map([
  ['gb18030', 'gb18030'],
  ['big5', 'big5'],
  ['cp949', 'euc-kr'],
  ['cp932', 'shift_jis'],
  ['euc-jp', 'euc-jp'],
  ['windows-1251', 'windows-1251'],
  ['koi8-r', 'koi8-r'],
  ['windows-1253', 'windows-1253'],
  ['windows-1255', 'windows-1255'],
  ['windows-1256', 'windows-1256'],
]);
/** What is left when none fits: the library wants to be told of one. */
const WESTERN = 'windows-1252';
/** A title of four characters gives 0.07 and more, a Western one that is taken for something else 0.03. */
const LEAST_CONFIDENCE = 0.05;
const FEWEST_LETTERS = 4;
/** Shares of the letters beyond ASCII in a text of such a script: beside another one, beside one of ASCII. */
const TOGETHER = 0.75;
const MIXED = 0.1;
const LETTERS_PER_BROKEN = 20;
/** How near to a byte beyond ASCII the second one of a character may be, and a letter that makes a word with it. */
const BESIDE = 2;
const BLANK = 0x20;

/**
 * The encoding of a page that says none and is not UTF-8, as its bytes tell: East Asian, Cyrillic, Greek, Hebrew or
 * Arabic. Null for everything else, Western pages among them. Looks at 4 kB of text. The library takes 65 MB, so it is
 * loaded for the first page that may be one of these.
 */
export async function detectedCharset(body: Buffer): Promise<string | null> {
  const text = textOf(body);
  const plausible = [...ENCODINGS]
    .filter(([, encoding]) => isPlausible(text, encoding))
    .map(([name]) => name);
  if (plausible.length === 0) return null;
  const { detect } = await import('jschardet');
  const { encoding, confidence } = detect(text, { detectEncodings: [...plausible, WESTERN] });
  return confidence < LEAST_CONFIDENCE ? null : (ENCODINGS.get(encoding?.toLowerCase() ?? '') ?? null);
}

/** The first bytes beyond ASCII with what is beside them: markup and scripts in between say nothing. */
function textOf(body: Buffer): Buffer {
  const text = Buffer.alloc(SAMPLE_BYTES);
  let length = 0;
  let lastHigh = -Infinity;
  for (let at = 0; at < body.length && length < SAMPLE_BYTES; at += 1) {
    if (isHigh(body[at])) lastHigh = at;
    const isNear = at - lastHigh <= BESIDE || isHigh(body[at + 1]) || isHigh(body[at + BESIDE]);
    if (!isNear && text[length - 1] === BLANK) continue;
    text[length] = isNear ? (body[at] ?? BLANK) : BLANK;
    length += 1;
  }
  return text.subarray(0, length);
}

function isHigh(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80;
}

/** Letters of one script make words; those of a Western text stand alone among ASCII. */
function isPlausible(text: Buffer, encoding: string): boolean {
  const read = new TextDecoder(encoding).decode(text, { stream: true });
  const letters = (expression: RegExp): number => read.match(expression)?.length ?? 0;
  const all = letters(/[^\P{L}\0-\x7f]/gu);
  const together = letters(/(?<=[^\P{L}\0-\x7f])[^\P{L}\0-\x7f]|[^\P{L}\0-\x7f](?=[^\P{L}\0-\x7f])/gu);
  const mixed = letters(/(?<=[a-z])[^\P{L}\0-\x7f]|[^\P{L}\0-\x7f](?=[a-z])/giu);
  if (all < FEWEST_LETTERS || letters(/\ufffd/g) * LETTERS_PER_BROKEN > all) return false;
  return together >= all * TOGETHER && mixed <= all * MIXED;
}

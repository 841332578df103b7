const SEPARATOR = / [|·•»:–—-] /;
const LONGEST = 60;
/** Shorter ones are in anything. */
const SHORTEST = 4;
const NO_LETTER = /[^\p{L}\p{N}]+/gu;

/** The last part of a page's title (`Headline - The Daily`) where it agrees with the page's host; else null. */
export function siteOfTitle(title: string, { hostname }: URL): string | null {
  const parts = title.slice(0, 1_000).split(SEPARATOR);
  const last = parts.length < 2 ? '' : (parts.at(-1) ?? '').trim();
  if (last === '' || last.length > LONGEST) return null;
  const labels = hostname.split('.').slice(0, -1);
  return labels.some((label) => agrees(last, label)) ? last : null;
}

/** Is a label the name, a word of it, or most of it? */
function agrees(name: string, label: string): boolean {
  const site = folded(label);
  const plain = folded(name);
  if (site.length < 2 || plain === '') return false;
  if (plain === site || name.split(' ').some((word) => site.length > 2 && folded(word) === site)) return true;
  if (site.length >= SHORTEST && plain.includes(site)) return true;
  return plain.length >= SHORTEST && 2 * plain.length >= site.length && site.includes(plain);
}

function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(NO_LETTER, '').toLowerCase();
}

/** Where text is broken into paragraphs; anything else, unknown names included, may stand inside a sentence. */
const BLOCK = new Set(
  (
    'address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing ' +
    'main marquee menu nav noframes ol optgroup option p plaintext pre search section summary table tbody td tfoot ' +
    'th thead tr ul xmp'
  ).split(' '),
);
/** Elements whose text no description of `standard` is made of. */
const SKIPPED = new Set(
  'header nav aside footer script noscript style svg iframe video canvas img picture'.split(' '),
);

/** Is text broken into paragraphs by this element? */
export function isBlock(name: string): boolean {
  return BLOCK.has(name);
}

/** Does no description of `standard` contain the text of this element? */
export function isSkipped(name: string): boolean {
  return SKIPPED.has(name);
}

/** Values by lower-case name; the first of equal names counts, as in browsers. */
export type Attributes = Readonly<Record<string, string>>;

/** Characters of an address that is no data URL. */
export const MAX_ADDRESS_LENGTH = 8_192;
/** Characters of any other value of an attribute. */
export const MAX_VALUE_LENGTH = 65_536;
/** The same for images written as data URLs. */
const MAX_DATA_LENGTH = 2_097_152;

/** Is a value short enough to be looked at? Data URLs may be longer than others. */
export function isKept(value: string, limit: number): boolean {
  return value.length <= limit || (value.startsWith('data:') && value.length <= MAX_DATA_LENGTH);
}

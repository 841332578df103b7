import { RE2JS } from 're2js';

type Token =
  | { readonly kind: 'star' }
  | { readonly kind: 'one'; readonly accepts: (unit: string) => boolean };

/**
 * Compiles a shell pattern into a test of a whole value: `*` any text, `?` one character, `[seq]`, `[!seq]`.
 * `*` and `?` match `/` too, letters are case-sensitive, nothing is escaped, a lone `[` stands for itself
 * (fnmatch, POSIX). Time is bounded by pattern length times value length.
 */
export function compileGlob(pattern: string): (value: string) => boolean {
  const tokens = tokenize(Array.from(pattern));
  return (value) => matches(tokens, Array.from(value));
}

function tokenize(pattern: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (character === '?') {
      tokens.push({ kind: 'one', accepts: () => true });
    } else {
      const end = character === '[' ? closingBracket(pattern, at) : -1;
      tokens.push({
        kind: 'one',
        accepts: end === -1 ? (unit) => unit === character : bracketTest(pattern.slice(at + 1, end)),
      });
      if (end !== -1) at = end;
    }
  }
  return tokens;
}

/** A `]` directly after `[` or `[!` belongs to the sequence. */
function closingBracket(pattern: readonly string[], open: number): number {
  const first = pattern[open + 1] === '!' ? open + 2 : open + 1;
  return pattern.indexOf(']', first + 1);
}

function bracketTest(body: readonly string[]): (unit: string) => boolean {
  const negated = body[0] === '!';
  const members = negated ? body.slice(1) : body;
  const ranges: [number, number][] = [];
  for (let at = 0; at < members.length; at += 1) {
    const low = codePoint(members[at]);
    const isRange = members[at + 1] === '-' && at + 2 < members.length;
    ranges.push([low, isRange ? codePoint(members[at + 2]) : low]);
    if (isRange) at += 2;
  }
  return (unit) => {
    const point = codePoint(unit);
    return ranges.some(([low, high]) => low <= point && point <= high) !== negated;
  };
}

function codePoint(character: string | undefined): number {
  return character?.codePointAt(0) ?? -1;
}

/** Remembers only the last `*`: what an earlier one took can stay taken, so no search tree arises. */
function matches(tokens: readonly Token[], value: readonly string[]): boolean {
  let token = 0;
  let star = -1;
  let resumeAt = 0;
  for (let at = 0; at < value.length;) {
    const current = tokens[token];
    if (current?.kind === 'one' && current.accepts(value[at] ?? '')) {
      token += 1;
      at += 1;
    } else if (current?.kind === 'star') {
      star = token;
      resumeAt = at;
      token += 1;
    } else if (star !== -1) {
      resumeAt += 1;
      at = resumeAt;
      token = star + 1;
    } else {
      return false;
    }
  }
  while (tokens[token]?.kind === 'star') token += 1;
  return token === tokens.length;
}

/** Parts of a split URL that a rule may name; SPEC §2.4. */
export const URL_COMPONENTS = [
  'scheme',
  'netloc',
  'hostname',
  'port',
  'path',
  'query',
  'fragment',
  'username',
  'password',
] as const;

export type UrlComponent = (typeof URL_COMPONENTS)[number];

/** One entry of `url_preview_url_blacklist`: patterns by component; SPEC §2.4. */
export type UrlRule = Readonly<Partial<Record<UrlComponent, string>>>;

/** Several rules that count as one entry, which hits name by `text`. */
interface AnyUrlRule {
  anyOf: readonly UrlRule[];
  text: string;
}

export type UrlRuleEntry = UrlRule | AnyUrlRule;

/** A pattern ready to be tried on one component value. */
export type UrlPattern = (value: string) => boolean;

/**
 * Compiles one pattern of a URL rule; SPEC §4.7.1. With a leading `^` it is a regular expression matched from
 * the start of the value (not to its end), in an engine of linear time; else a shell pattern for the whole value.
 * Throws an Error whose message says what the engine does not take (look-around, back-references, bad syntax).
 */
export function compileUrlPattern(pattern: string): UrlPattern {
  if (!pattern.startsWith('^')) return compileGlob(pattern);
  const expression = RE2JS.compile(pattern);
  return (value) => expression.matcher(value).lookingAt();
}

/** How a URL rule is kept with the addresses it refused: the entry as JSON. */
export function urlRuleText(rule: UrlRule): string {
  return JSON.stringify(rule);
}

/** How a range of addresses is kept with what it refused; `range` is `null` when it is not known any more. */
export function addressRuleText(setting: string, range: string | null): string {
  return range === null ? setting : `${setting}: ${range}`;
}

import { RE2JS } from 're2js';
import { compileGlob } from './glob.js';

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

/** A pattern ready to be tried on one component value. */
export type UrlPattern = (value: string) => boolean;

/** What a step of a regular expression costs beside one of a shell pattern; measured. */
const EXPRESSION_STEP = 4;

/**
 * What matching one character costs at most, in steps of a shell pattern. Of an expression it is not its length that
 * counts: `^(.*a){500}` has 11 characters and 2,500 instructions. Throws as `compileUrlPattern`.
 */
export function patternWeight(pattern: string): number {
  return pattern.startsWith('^') ? EXPRESSION_STEP * RE2JS.compile(pattern).programSize() : pattern.length;
}

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

import { RE2JS } from 're2js';

import { parseUrl } from '../../base/text/url.js';

/** Parts of a shell pattern: `*`, `?`, `[!others]`, `[some]`, or any other character. */
const TOKEN = /\*+|\?|\[(?:!([^][^\]]*)|((?!!)[^][^\]]*))\]|[^]/gu;

/**
 * Compiles a shell pattern into a test of a whole value: `*` any text, `?` one character, `[seq]`, `[!seq]`.
 * `*` and `?` match `/` too, letters are case-sensitive, nothing is escaped, a lone `[` stands for itself
 * (fnmatch, POSIX). Time is bounded by pattern length times value length.
 */
export function compileGlob(pattern: string): (value: string) => boolean {
  const [start = '', ...parts] = pattern.replaceAll(TOKEN, asExpression).split('*');
  const end = parts.pop();
  // A look-ahead is never tried again: what an earlier `*` took can stay taken, so no search tree arises.
  const middle = parts.map((part, index) => `(?=([^]*?${part}))\\${index + 1}`).join('');
  const expression = new RegExp(`^${start}${middle}${end === undefined ? '' : `[^]*${end}`}$`, 'su');
  return (value) => expression.test(value);
}

/** A part of a shell pattern as one of a regular expression; a `*` stays. */
function asExpression(token: string, others?: string, some?: string): string {
  if (token.startsWith('*')) return '*';
  if (token === '?') return '.';
  const members = others ?? some;
  if (members === undefined) return escaped(token);
  const ranges = members.replaceAll(/(.)-(.)|./gsu, (member, low?: string, high?: string) => {
    if (low === undefined || high === undefined) return escaped(member);
    return codePoint(low) > codePoint(high) ? '' : `${escaped(low)}-${escaped(high)}`;
  });
  return `[${others === undefined ? '' : '^'}${ranges}]`;
}

function escaped(character: string): string {
  return `\\u{${codePoint(character).toString(16)}}`;
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
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

/** One rule, or several that count as one entry, which hits name by `text`. */
export type UrlRuleEntry = UrlRule | { anyOf: readonly UrlRule[]; text: string };

/**
 * Compiles one pattern of a URL rule; SPEC §4.7.1. With a leading `^` it is a regular expression matched from
 * the start of the value (not to its end), in an engine of linear time; else a shell pattern for the whole value.
 * Throws an Error whose message says what the engine does not take (look-around, back-references, bad syntax).
 */
export function compileUrlPattern(pattern: string): (value: string) => boolean {
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

/** Values of the components of one URL as text; null where the URL has none. */
export type UrlParts = Readonly<Record<UrlComponent, string | null>>;

/** RFC 3986, appendix B. */
const PARTS = /^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;
/** User information, host in brackets or without, port. */
const AUTHORITY = /^(?:(.*)@)?(?:[^[]*\[([^\]]*)\]?[^:]*|([^:]*))(?::(.*))?$/s;
const MAX_PORT = 65_535;

/**
 * Splits a URL as text (RFC 3986 §3, SPEC §4.7.1): nothing is normalised but the case of scheme and hostname. Scheme,
 * netloc, path, query and fragment are empty when absent; username, password, hostname and port are null. Null for
 * what cannot be split: unpaired brackets, a port that is not a number up to 65535, a host that hides delimiters.
 */
export function splitUrl(text: string): UrlParts | null {
  const plain = text.replace(/^[\0- ]+/, '').replaceAll(/[\t\r\n]/g, '');
  const [, scheme = '', netloc = '', path = '', query = '', fragment = ''] = PARTS.exec(plain) ?? [];
  if (netloc.includes('[') !== netloc.includes(']') || hidesDelimiters(netloc)) return null;
  const [, userinfo, bracketed, bare = '', port = ''] = AUTHORITY.exec(netloc) ?? [];
  if (port !== '' && !(/^\d+$/.test(port) && Number(port) <= MAX_PORT)) return null;
  const [, username = null, password = null] = /^([^:]*)(?::(.*))?$/s.exec(userinfo ?? '') ?? [];
  // Zone ids keep their case.
  const hostname = (bracketed ?? bare).replace(/^[^%]+/, (name) => name.toLowerCase());
  return {
    scheme: scheme.toLowerCase(),
    netloc,
    path,
    query,
    fragment,
    username: userinfo === undefined ? null : username,
    password,
    hostname: hostname === '' ? null : hostname,
    port: port === '' ? null : String(Number(port)),
  };
}

/**
 * The same components of the URL as a browser reads it (WHATWG URL): what is really asked for. A default port,
 * an empty user name and an empty password count as absent; the final dot of a hostname is dropped. Null for
 * what is not an absolute URL. Escapes of letters, digits, `-`, `.`, `_` and `~` mean nothing (RFC 3986, 6.2.2.2).
 */
export function normalizedParts(text: string): UrlParts | null {
  const url = parseUrl(text);
  if (url === null) return null;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const userinfo = [url.username, ...(url.password === '' ? [] : [url.password])].join(':');
  return {
    scheme: url.protocol.slice(0, -1),
    netloc: `${userinfo === '' ? '' : `${userinfo}@`}${url.host.replace(/\.(?=$|:)/, '')}`,
    hostname: host === '' ? null : host,
    port: url.port === '' ? null : url.port,
    path: withoutNeedlessEscapes(url.pathname),
    query: withoutNeedlessEscapes(url.search.slice(1)),
    fragment: url.hash.slice(1),
    username: url.username === '' ? null : url.username,
    password: url.password === '' ? null : url.password,
  };
}

const ESCAPED_UNRESERVED = /%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/gi;

function withoutNeedlessEscapes(text: string): string {
  return text.replaceAll(ESCAPED_UNRESERVED, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)));
}

const BEYOND_ASCII = /[^\0-\x7f]/gu;

/** Characters such as U+2100 turn into delimiters when a host is normalised (Unicode TR 46). */
function hidesDelimiters(netloc: string): boolean {
  const beyondAscii = netloc.match(BEYOND_ASCII) ?? [];
  // One by one: of a whole text it takes a time that grows with the square of its length.
  return beyondAscii.some((character) => /[/?#@:]/.test(character.normalize('NFKC')));
}

/** One URL as the matcher sees it, and every entry that matches. */
export type UrlRuleTrial = NonNullable<ReturnType<UrlRules['explain']>>;

type CompiledPatterns = readonly (readonly [
  component: UrlComponent,
  matches: ReturnType<typeof compileUrlPattern>,
])[];

interface CompiledRule {
  /** One of them has to match. */
  anyOf: readonly CompiledPatterns[];
  text: string;
}

/**
 * URL rules, SPEC §4.7.1. An entry matches when every component it names has a value and that value matches; it is
 * tried on the URL as written and, so that no spelling evades it, on the URL as it will be fetched. For the same reason
 * an exception has to match both.
 */
export class UrlRules {
  #rules: readonly CompiledRule[] = [];
  #exceptions: readonly CompiledRule[] = [];

  /** Throws an Error when a pattern cannot be compiled. */
  constructor(rules: readonly UrlRuleEntry[], exceptions: readonly UrlRule[] = []) {
    this.replace(rules, exceptions);
  }

  /** Takes other entries from now on. Throws, and keeps the old ones, when a pattern cannot be compiled. */
  replace(rules: readonly UrlRuleEntry[], exceptions: readonly UrlRule[] = []): void {
    const compiled = exceptions.map(compileRule);
    this.#rules = rules.map(compileRule);
    this.#exceptions = compiled;
  }

  /**
   * Everything an operator may ask about one URL, with positions from 0; `null` for what is not a URL at all. `fetched`:
   * as it will be fetched, `null` when it cannot be. `exception`: the one that allows it in spite of all that match.
   */
  explain(url: string) {
    const written = splitUrl(url);
    if (written === null) return null;
    const fetched = normalizedParts(url);
    const indexes = this.#rules.flatMap((rule, index) =>
      matches(rule, written) || (fetched !== null && matches(rule, fetched)) ? [index] : [],
    );
    const exception = indexes.length === 0 ? -1 : this.#exceptionFor(written, fetched);
    return { written, fetched, indexes, exception: exception === -1 ? null : exception };
  }

  /**
   * The first entry that matches, null when none does or an exception does, too, `unsplittable` for what is not a URL at
   * all.
   */
  match(url: string): { index: number; rule: string } | 'unsplittable' | null {
    const found = this.explain(url);
    if (found === null) return 'unsplittable';
    const [index = -1] = found.indexes;
    const rule = this.#rules[index];
    return rule === undefined || found.exception !== null ? null : { index, rule: rule.text };
  }

  #exceptionFor(written: UrlParts, fetched: UrlParts | null): number {
    if (fetched === null) return -1;
    // As written, http://host has no path; it is fetched as /.
    const full = { ...written, path: written.path === '' ? '/' : written.path };
    return this.#exceptions.findIndex((rule) => matches(rule, full) && matches(rule, fetched));
  }
}

function compileRule(entry: UrlRuleEntry): CompiledRule {
  if ('anyOf' in entry) return { anyOf: entry.anyOf.map(compilePatterns), text: entry.text };
  return { anyOf: [compilePatterns(entry)], text: urlRuleText(entry) };
}

function compilePatterns(rule: UrlRule): CompiledPatterns {
  return URL_COMPONENTS.flatMap((component) => {
    const pattern = rule[component];
    return pattern === undefined ? [] : [[component, compileUrlPattern(pattern)] as const];
  });
}

function matches({ anyOf }: CompiledRule, parts: UrlParts): boolean {
  return anyOf.some((patterns) =>
    patterns.every(([component, pattern]) => {
      const value = parts[component];
      return value !== null && pattern(value);
    }),
  );
}

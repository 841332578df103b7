import { LRUCache } from 'lru-cache';

import { parseUrl } from '../../base/text/url.js';
import {
  type UrlComponent,
  compileUrlPattern,
  URL_COMPONENTS,
  urlRuleText,
  type UrlPattern,
  type UrlRule,
  type UrlRuleEntry,
} from './url-pattern.js';
import { ownText } from '../../base/runtime/cache.js';

/** Values of the components of one URL as text; null where the URL has none. */
export type UrlParts = Readonly<Record<UrlComponent, string | null>>;

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const REMOVED = /[\t\r\n]/g;
const MAX_PORT = 65_535;

/**
 * Splits a URL as text (RFC 3986 §3, SPEC §4.7.1): nothing is normalised but the case of scheme and hostname. Scheme,
 * netloc, path, query and fragment are empty when absent; username, password, hostname and port are null. Null for
 * what cannot be split: unpaired brackets, a port that is not a number up to 65535, a host that hides delimiters.
 */
export function splitUrl(text: string): UrlParts | null {
  let rest = withoutLeadingBlanks(text).replaceAll(REMOVED, '');
  const scheme = SCHEME.exec(rest)?.[0] ?? '';
  rest = rest.slice(scheme.length);
  let netloc = '';
  if (rest.startsWith('//')) {
    const end = firstOf(rest, ['/', '?', '#'], 2);
    netloc = rest.slice(2, end);
    rest = rest.slice(end);
  }
  const authority = splitAuthority(netloc);
  if (authority === null) return null;
  const [beforeFragment, fragment] = partition(rest, '#');
  const [path, query] = partition(beforeFragment, '?');
  return {
    scheme: scheme.slice(0, -1).toLowerCase(),
    netloc,
    path,
    query: query ?? '',
    fragment: fragment ?? '',
    ...authority,
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

type Authority = Pick<UrlParts, 'username' | 'password' | 'hostname' | 'port'>;

function splitAuthority(netloc: string): Authority | null {
  if (netloc.includes('[') !== netloc.includes(']') || hidesDelimiters(netloc)) return null;
  const at = netloc.lastIndexOf('@');
  const [username, password] = at === -1 ? [null, null] : partition(netloc.slice(0, at), ':');
  const hostAndPort = netloc.slice(at + 1);
  const open = hostAndPort.indexOf('[');
  const [host, behind] =
    open === -1 ? [hostAndPort, hostAndPort] : partition(hostAndPort.slice(open + 1), ']');
  const [plainHost, portText] = partition(behind ?? '', ':');
  const port = readPort(portText);
  if (port !== null && !(port <= MAX_PORT)) return null;
  const hostname = open === -1 ? plainHost : host;
  return {
    username,
    password,
    hostname: hostname === '' ? null : lowerCaseHost(hostname),
    port: port === null ? null : String(port),
  };
}

/** Zone ids keep their case. */
function lowerCaseHost(hostname: string): string {
  const percent = hostname.indexOf('%');
  if (percent === -1) return hostname.toLowerCase();
  return hostname.slice(0, percent).toLowerCase() + hostname.slice(percent);
}

/** Null without a port, NaN for what is not a number. */
function readPort(text: string | null): number | null {
  if (text === null || text === '') return null;
  return /^\d+$/.test(text) ? Number(text) : NaN;
}

const BEYOND_ASCII = /[^\0-\x7f]/gu;

/** Characters such as U+2100 turn into delimiters when a host is normalised (Unicode TR 46). */
function hidesDelimiters(netloc: string): boolean {
  const beyondAscii = netloc.match(BEYOND_ASCII) ?? [];
  // One by one: of a whole text it takes a time that grows with the square of its length.
  return beyondAscii.some((character) => /[/?#@:]/.test(character.normalize('NFKC')));
}

function withoutLeadingBlanks(text: string): string {
  let start = 0;
  while (start < text.length && text.charCodeAt(start) <= 0x20) start += 1;
  return text.slice(start);
}

function partition(text: string, separator: string): [before: string, after: string | null] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

function firstOf(text: string, characters: readonly string[], from: number): number {
  const found = characters.map((character) => text.indexOf(character, from)).filter((at) => at !== -1);
  return Math.min(text.length, ...found);
}

interface UrlRuleMatch {
  index: number;
  rule: string;
}

/** One URL as the matcher sees it, and every entry that matches. */
export interface UrlRuleTrial {
  written: UrlParts;
  /** As it will be fetched; `null` when it cannot be. */
  fetched: UrlParts | null;
  /** Positions in the list, from 0. */
  indexes: readonly number[];
  /** Position of the exception that allows it in spite of them, from 0; `null` when there is none. */
  exception: number | null;
}

type CompiledPatterns = readonly (readonly [component: UrlComponent, matches: UrlPattern])[];

interface CompiledRule {
  /** One of them has to match. */
  anyOf: readonly CompiledPatterns[];
  text: string;
}

/** Links of a room's last minutes; two megabytes at most. */
const MAX_PASSED = 1000;
const MAX_PASSED_CHARACTERS = 1000;

/**
 * URL rules, SPEC §4.7.1. An entry matches when every component it names has a value and that value matches; it is
 * tried on the URL as written and, so that no spelling evades it, on the URL as it will be fetched. For the same reason
 * an exception has to match both.
 */
export class UrlRules {
  #rules: readonly CompiledRule[];
  #exceptions: readonly CompiledRule[];
  /** URLs that no entry matches: the same links are asked for again and again, and the rules may be many. */
  readonly #passed = new LRUCache<string, true>({ max: MAX_PASSED });

  /** Throws an Error when a pattern cannot be compiled. */
  constructor(rules: readonly UrlRuleEntry[], exceptions: readonly UrlRule[] = []) {
    this.#rules = rules.map(compileRule);
    this.#exceptions = exceptions.map(compileRule);
  }

  /** Takes other entries from now on. Throws, and keeps the old ones, when a pattern cannot be compiled. */
  replace(rules: readonly UrlRuleEntry[], exceptions: readonly UrlRule[] = []): void {
    const compiled = exceptions.map(compileRule);
    this.#rules = rules.map(compileRule);
    this.#exceptions = compiled;
    this.#passed.clear();
  }

  /** Everything an operator may ask about one URL; `null` for what is not a URL at all. */
  explain(url: string): UrlRuleTrial | null {
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
  match(url: string): UrlRuleMatch | 'unsplittable' | null {
    if (this.#passed.get(url) === true) return null;
    const match = this.#firstMatch(url);
    if (match === null && url.length <= MAX_PASSED_CHARACTERS) this.#passed.set(ownText(url), true);
    return match;
  }

  #firstMatch(url: string): UrlRuleMatch | 'unsplittable' | null {
    const found = this.explain(url);
    if (found === null) return 'unsplittable';
    const [index = -1] = found.indexes;
    const rule = this.#rules[index];
    return rule === undefined || found.exception !== null ? null : { index, rule: rule.text };
  }

  #exceptionFor(written: UrlParts, fetched: UrlParts | null): number {
    if (fetched === null || this.#exceptions.length === 0) return -1;
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

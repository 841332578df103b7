import { urlRuleText, type UrlRule, type UrlRuleEntry } from '../../preview/rules/url-pattern.js';

const MAX_CHARACTERS = 500;
const CHARACTERS = /^[^\s\p{Cc}\p{Cf}]+$/u;
/** Would match every address. */
const ONLY_WILDCARDS = /^[*?./]*$/;

/** What an operator typed, in the form it is stored in, or what is wrong with it. */
export type ReadPattern = { pattern: string; problem: null } | { pattern: null; problem: string };

/**
 * Reads what an operator typed: a host (`example.org`), a host with its subdomains (`.example.org`), or a pattern of
 * host and path with `*` and `?` (`*.example.org/ads/*`). An address is taken for its host.
 */
export function readPattern(typed: string): ReadPattern {
  const text = typed.trim();
  const wrong = (problem: string): ReadPattern => ({ pattern: null, problem });
  if (text.length > MAX_CHARACTERS) return wrong(`The pattern is longer than ${MAX_CHARACTERS} characters.`);
  if (!CHARACTERS.test(text)) return wrong('Type a host, such as example.org, or a pattern without blanks.');
  if (ONLY_WILDCARDS.test(text)) return wrong('The pattern would match every address.');
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  if (!isAddress && /[*?/]/.test(text)) return { pattern: hostLowered(text), problem: null };
  const hasDot = text.startsWith('.');
  const host = URL.parse(isAddress ? text : `http://${hasDot ? text.slice(1) : text}/`)?.hostname ?? '';
  if (host === '') return wrong(`${text} is not a host name.`);
  return { pattern: `${hasDot ? '.' : ''}${host.replace(/^\[|\]$/g, '')}`, problem: null };
}

/** A stored pattern as the matcher takes it. */
export function entryOf(pattern: string): UrlRuleEntry {
  return { anyOf: rulesOf(pattern), text: urlRuleText(partsOf(pattern)) };
}

/** The conditions of a stored pattern, for people and for the list of hits. */
export function partsOf(pattern: string): UrlRule {
  const slash = pattern.indexOf('/');
  if (slash === -1) return { hostname: pattern };
  return { hostname: pattern.slice(0, slash), path: pattern.slice(slash) };
}

/** A name written with its last dot is the same host. */
function rulesOf(pattern: string): UrlRule[] {
  const { hostname = '', ...path } = partsOf(pattern);
  const hosts = hostname.startsWith('.') ? [hostname.slice(1), `*${hostname}`] : [hostname];
  return hosts.flatMap((host) => [
    { hostname: host, ...path },
    { hostname: `${host}.`, ...path },
  ]);
}

function hostLowered(text: string): string {
  const slash = text.indexOf('/');
  return slash === -1 ? text.toLowerCase() : text.slice(0, slash).toLowerCase() + text.slice(slash);
}

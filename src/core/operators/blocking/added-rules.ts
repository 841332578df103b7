import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import { storableText } from '../../base/text/strings.js';
import { type UrlRule, type UrlRuleEntry, urlRuleText, UrlRules } from '../../preview/rules/url-rules.js';
import type { BlockRuleRow, Database } from '../../store/db.js';
import { type PlainRow, plainRow } from '../../store/plain-row.js';

const MAX_PATTERN_CHARACTERS = 500;
const CHARACTERS = /^[^\s\p{Cc}\p{Cf}]+$/u;
/** Would match every address. */
const ONLY_WILDCARDS = /^[*?./]*$/;

function badPattern(message: string): ApiError {
  return new ApiError(400, message, { errcode: 'M_INVALID_PARAM', reason: 'bad_pattern' });
}

/**
 * Reads what an operator typed, into the form it is stored in: a host (`example.org`), a host with its subdomains
 * (`.example.org`), or a pattern of host and path with `*` and `?` (`*.example.org/ads/*`). An address is taken for its
 * host. Throws `ApiError` 400 with the reason `bad_pattern`.
 */
export function readPattern(typed: string): string {
  const text = typed.trim();
  if (text.length > MAX_PATTERN_CHARACTERS)
    throw badPattern(`The pattern is longer than ${MAX_PATTERN_CHARACTERS} characters.`);
  if (!CHARACTERS.test(text))
    throw badPattern('Enter a host, such as example.org, or a pattern without spaces.');
  if (ONLY_WILDCARDS.test(text)) throw badPattern('The pattern would match every address.');
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  if (!isAddress && /[*?/]/.test(text)) return hostLowered(text);
  const hasDot = text.startsWith('.');
  const host = URL.parse(isAddress ? text : `http://${hasDot ? text.slice(1) : text}/`)?.hostname ?? '';
  if (host === '') throw badPattern(`${text} is not a host name.`);
  return `${hasDot ? '.' : ''}${host.replace(/^\[|\]$/g, '')}`;
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

/** What a pattern would have refused. */
export type PatternTrial = Awaited<ReturnType<typeof tryPattern>>;

export const TRIED_ADDRESSES = 10_000;
const MAX_EXAMPLES = 5;
const PAGE = 500;

/** Tries a pattern on the addresses of the latest stored previews; a page of them at a time. */
export async function tryPattern(
  pattern: string,
  { database, rules }: { database: Database; rules: UrlRules },
  signal?: AbortSignal,
) {
  const added = new UrlRules([entryOf(pattern)]);
  const examples: string[] = [];
  let [tried, refused] = [0, 0];
  for await (const urls of latestUrls(database)) {
    signal?.throwIfAborted();
    tried += urls.length;
    for (const url of urls) {
      if (added.match(url) === null || rules.match(url) !== null) continue;
      refused += 1;
      if (examples.length < MAX_EXAMPLES) examples.push(url);
    }
    await nextTurn();
  }
  return { tried, refused, examples };
}

async function* latestUrls({ client }: Database): AsyncGenerator<string[]> {
  let below: number | null = null;
  for (let read = 0; read < TRIED_ADDRESSES; read += PAGE) {
    const page: { id: number; url: string }[] = await client.previewCache.findMany({
      where: below === null ? {} : { id: { lt: below } },
      orderBy: { id: 'desc' },
      take: PAGE,
      select: { id: true, url: true },
    });
    yield page.map(({ url }) => url);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    below = last.id;
  }
}

/** A pattern that an operator blocked on the pages, beside `url_preview_url_blacklist`; as `readPattern` gives it. */
export type AddedRule = PlainRow<BlockRuleRow>;

export interface AddedRulesOptions {
  database: Database;
  clock: Clock;
  /** Called after a change made here, for other instances. */
  onChanged: () => Promise<void>;
}

const MAX_RULES = 1000;
/** Of all patterns together: what matching one address may cost at most. */
const MAX_CHARACTERS = 20_000;

/** Patterns that operators block on the pages; rows of block_rule. */
export class AddedRules {
  #rules: readonly AddedRule[] = [];
  /** Called when other rules hold than before. */
  onChange: () => void = () => undefined;

  constructor(private readonly options: AddedRulesOptions) {}

  /** Reads what operators added, on any instance. */
  async refresh(): Promise<void> {
    const rows = await this.options.database.client.blockRule.findMany({ orderBy: { id: 'asc' } });
    const ids = rows.map(({ id }) => id);
    if (ids.join() === this.#rules.map(({ id }) => id).join()) return;
    this.#rules = rows.map(plainRow);
    this.onChange();
  }

  /** In the order of adding. */
  list(): readonly AddedRule[] {
    return this.#rules;
  }

  /** As the matcher takes them, in the same order. */
  entries(): UrlRuleEntry[] {
    return this.#rules.map(({ pattern }) => entryOf(pattern));
  }

  /** Reads a pattern that is to be added. Throws as `readPattern`. */
  read(typed: string): string {
    const pattern = readPattern(typed);
    if (this.#rules.some((rule) => rule.pattern === pattern))
      throw badPattern(`${pattern} is blocked already.`);
    const characters = this.#rules.reduce((sum, rule) => sum + rule.pattern.length, pattern.length);
    if (this.#rules.length >= MAX_RULES || characters > MAX_CHARACTERS)
      throw badPattern('There are too many patterns; move some into url_preview_url_blacklist.');
    return pattern;
  }

  async add(typed: string, by: string): Promise<AddedRule> {
    await this.refresh();
    const { database, clock } = this.options;
    const data = { pattern: this.read(typed), createdTs: clock.now(), createdBy: storableText(by) };
    const { id } = await database.client.blockRule.create({ data, select: { id: true } });
    await this.#changed();
    return { id, ...data };
  }

  /** The rule that was removed; `null` when there is none of that id. */
  async remove(id: number): Promise<AddedRule | null> {
    await this.refresh();
    const rule = this.#rules.find((each) => each.id === id);
    if (rule === undefined) return null;
    await this.options.database.client.blockRule.deleteMany({ where: { id } });
    await this.#changed();
    return rule;
  }

  async #changed(): Promise<void> {
    await this.refresh();
    await this.options.onChanged();
  }
}

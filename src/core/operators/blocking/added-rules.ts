import type { Clock } from '../../base/clock.js';
import { storableText } from '../../base/text/storable-text.js';
import type { UrlRuleEntry } from '../../preview/rules/url-pattern.js';
import type { Database } from '../../store/db.js';
import { entryOf, readPattern, type ReadPattern } from './blocked-pattern.js';

/** A pattern that an operator blocked on the pages, beside `url_preview_url_blacklist`. */
export interface AddedRule {
  id: number;
  /** As `readPattern` gives it. */
  pattern: string;
  createdTs: number;
  createdBy: string;
}

export interface AddedRulesOptions {
  database: Database;
  clock: Clock;
  /** Called after a change made here, for other instances. */
  onChanged: () => Promise<void>;
}

/** The rule that was added, or why it could not be. */
export type Added = { rule: AddedRule; problem: null } | { rule: null; problem: string };

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
    this.#rules = rows.map(({ createdTs, ...row }) => ({ ...row, createdTs: Number(createdTs) }));
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

  /** Reads a pattern that is to be added, and says why it cannot be. */
  read(typed: string): ReadPattern {
    const { pattern, problem } = readPattern(typed);
    const wrong = (text: string): ReadPattern => ({ pattern: null, problem: text });
    if (problem !== null) return wrong(problem);
    if (this.#rules.some((rule) => rule.pattern === pattern)) return wrong(`${pattern} is blocked already.`);
    const characters = this.#rules.reduce((sum, rule) => sum + rule.pattern.length, pattern.length);
    if (this.#rules.length >= MAX_RULES || characters > MAX_CHARACTERS)
      return wrong('There are too many patterns; move some into url_preview_url_blacklist.');
    return { pattern, problem: null };
  }

  async add(typed: string, by: string): Promise<Added> {
    await this.refresh();
    const { pattern, problem } = this.read(typed);
    if (problem !== null) return { rule: null, problem };
    const { database, clock } = this.options;
    const data = { pattern, createdTs: clock.now(), createdBy: storableText(by) };
    const { id } = await database.client.blockRule.create({ data, select: { id: true } });
    await this.#changed();
    return { rule: { id, ...data }, problem: null };
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

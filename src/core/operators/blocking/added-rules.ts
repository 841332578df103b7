import { MINUTE_MS, type Clock } from '../../base/clock.js';
import {
  checkDraft,
  opensInternal,
  valueText,
  weightOf,
  type AddedRule,
  type RuleDraft,
  type RuleList,
  type RuleValue,
} from './added-rule.js';
import type { AddedRuleStore, Before, StoredRule } from './added-rule-store.js';

export interface AddedRulesOptions {
  store: AddedRuleStore;
  clock: Clock;
  /** The configuration's entries of a list. */
  configured: (list: RuleList) => readonly RuleValue[];
  /** Called after a change made here, for other instances. */
  onChanged: () => Promise<void>;
}

/** What came of a change: the rule as it is now, `null` when it is gone, or why it could not be. */
export type RuleChange = { rule: AddedRule | null; problem: null } | { rule: null; problem: string };

/** Which rule, as who asks has last seen it. */
export interface RuleVersion {
  id: number;
  revision: number;
}

const UNDO_MS = 10 * MINUTE_MS;
const MAX_RULES = 1000;
/** Of all together: what one address may cost at most. */
const MAX_WEIGHT = 20_000;

const CHANGED_SINCE = 'It has been changed or removed since. Look at it again.';
const INTERNAL_CLOSED =
  'value: it would open addresses that are refused by default, such as private networks. Allow them in the ' +
  'configuration file, or let the pages do so with admin.internal_ranges';

/** Rules that operators add to the lists of the configuration: those of the file stay as they are. */
export class AddedRules {
  #stored: readonly StoredRule[] = [];
  #mayOpenInternal = false;
  /** Told when other rules hold than before. */
  onChange: () => void = () => undefined;

  constructor(private readonly options: AddedRulesOptions) {}

  /** Whether they may allow addresses that are refused by default, from now on. */
  set mayOpenInternal(mayOpenInternal: boolean) {
    this.#mayOpenInternal = mayOpenInternal;
  }

  /** Reads what operators added, on whichever instance. */
  async refresh(): Promise<void> {
    const changed = await this.options.store.readChanged();
    if (changed === null) return;
    this.#stored = changed;
    this.onChange();
  }

  /** All of them, in the order of adding. */
  list(): AddedRule[] {
    return this.#views().filter(({ standing }) => standing !== 'removed');
  }

  /** Those whose last change can be undone, removed ones too, the latest first. */
  undoable(): AddedRule[] {
    return this.#views()
      .filter(({ undoUntilTs }) => undoUntilTs !== null)
      .toSorted((a, b) => b.changedTs - a.changedTs);
  }

  /** Removed ones, too, for as long as that can be undone. */
  find(id: number): AddedRule | null {
    return this.#views().find((rule) => rule.id === id) ?? null;
  }

  /** What holds beside the configuration's entries of a list. */
  inEffect(list: RuleList): RuleValue[] {
    const holding = this.#views().filter((rule) => rule.list === list && rule.standing === 'in_effect');
    return holding.map(({ value }) => value);
  }

  /** What is wrong with a rule that is to be added, or to take the place of one; `null`: nothing. */
  problemOf(draft: RuleDraft, id: number | null = null): string | null {
    const checked = checkDraft({ ...draft });
    if (checked.problem !== null) return checked.problem;
    if (opensInternal(draft) && !this.#mayOpenInternal) return INTERNAL_CLOSED;
    const text = valueText(draft.value);
    const others = this.list().filter((rule) => rule.id !== id);
    if (this.options.configured(draft.list).some((value) => valueText(value) === text))
      return 'value: it stands in the configuration already';
    if (others.some((rule) => rule.list === draft.list && valueText(rule.value) === text))
      return 'value: there is such a rule already';
    if (others.length >= MAX_RULES)
      return `There are ${MAX_RULES} already; move some into the configuration.`;
    const kept = this.#stored.filter((rule) => !rule.isRemoved && rule.id !== id);
    const weight = kept.reduce((sum, rule) => sum + rule.weight, weightOf(draft.value));
    if (weight > MAX_WEIGHT) return 'All rules together would be too costly to match.';
    return null;
  }

  async add(draft: RuleDraft, by: string): Promise<RuleChange> {
    await this.refresh();
    const problem = this.problemOf(draft);
    if (problem !== null) return { rule: null, problem };
    const { store, clock } = this.options;
    await store.prune(clock.now() - UNDO_MS);
    const change = { changedTs: clock.now(), changedBy: by, isRemoved: false, before: 'absent' as const };
    const id = await store.add({ ...draft, ...change });
    await this.#refreshAll();
    return { rule: this.find(id), problem: null };
  }

  async change({ id, revision }: RuleVersion, draft: RuleDraft, by: string): Promise<RuleChange> {
    await this.refresh();
    const problem = this.problemOf(draft, id);
    return problem === null ? this.#write({ id, revision }, draft, { by }) : { rule: null, problem };
  }

  async remove(version: RuleVersion, by: string): Promise<RuleChange> {
    await this.refresh();
    return this.#write(version, null, { by });
  }

  /** Makes the last change of a rule undone, within ten minutes. */
  async undo({ id, revision }: RuleVersion, by: string): Promise<RuleChange> {
    await this.refresh();
    const before = this.#stored.find((rule) => rule.id === id)?.before ?? null;
    if (before === null || this.find(id)?.undoUntilTs === null)
      return { rule: null, problem: 'There is nothing to undo: a change can be undone for ten minutes.' };
    if (before === 'absent') {
      const isDone = await this.options.store.delete(id, revision);
      await this.#refreshAll();
      return isDone ? { rule: null, problem: null } : { rule: null, problem: CHANGED_SINCE };
    }
    const problem = this.problemOf(before, id);
    return problem === null
      ? this.#write({ id, revision }, before, { by, isUndo: true })
      : { rule: null, problem };
  }

  /** `null`: it is removed. */
  async #write(
    { id, revision }: RuleVersion,
    draft: RuleDraft | null,
    { by, isUndo = false }: { by: string; isUndo?: boolean },
  ): Promise<RuleChange> {
    const { store, clock } = this.options;
    const found = this.#stored.find((rule) => rule.id === id && rule.revision === revision);
    if (found === undefined || (found.isRemoved && !isUndo)) return { rule: null, problem: CHANGED_SINCE };
    const { list, value, isEnabled, note } = found;
    const before: Before = isUndo ? null : { list, value, isEnabled, note };
    const row = { ...(draft ?? { list, value, isEnabled, note }), before, isRemoved: draft === null };
    const isDone = await store.change(id, revision, { ...row, changedTs: clock.now(), changedBy: by });
    await this.#refreshAll();
    return isDone ? { rule: this.find(id), problem: null } : { rule: null, problem: CHANGED_SINCE };
  }

  async #refreshAll(): Promise<void> {
    await this.refresh();
    await this.options.onChanged();
  }

  #views(): AddedRule[] {
    const nowTs = this.options.clock.now();
    return this.#stored.flatMap((stored) => {
      const { isRemoved, before, ...rule } = stored;
      const undoUntilTs = before === null ? null : rule.changedTs + UNDO_MS;
      const canUndo = undoUntilTs !== null && nowTs < undoUntilTs;
      if (isRemoved && !canUndo) return [];
      const standing = isRemoved ? 'removed' : this.#standing(rule);
      return [{ ...rule, standing, undoUntilTs: canUndo ? undoUntilTs : null }];
    });
  }

  #standing(rule: RuleDraft): AddedRule['standing'] {
    if (!rule.isEnabled) return 'disabled';
    return opensInternal(rule) && !this.#mayOpenInternal ? 'internal' : 'in_effect';
  }
}

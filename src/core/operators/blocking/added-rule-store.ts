import { isRecord } from '../../base/json/is-record.js';
import type { Database } from '../../store/db.js';
import { storableText } from '../../base/text/storable-text.js';
import { checkDraft, valueText, weightOf, type AddedRule, type RuleDraft } from './added-rule.js';

/** What the last change of a rule replaced; `absent`: there was none. */
export type Before = RuleDraft | 'absent' | null;

/** A row of block_rule that has been checked. */
export interface StoredRule extends Omit<AddedRule, 'standing' | 'undoUntilTs'> {
  /** As `weightOf`. */
  weight: number;
  isRemoved: boolean;
  before: Before;
}

/** What a row is to say from now on. */
export type RuleRow = Pick<StoredRule, keyof RuleDraft | 'changedTs' | 'changedBy' | 'isRemoved' | 'before'>;

type RawRow = Awaited<ReturnType<Database['client']['blockRule']['findMany']>>[number];

/** Rules that operators added; rows of block_rule. */
export class AddedRuleStore {
  /** Ids and revisions of the last reading: patterns are compiled when there is something new only. */
  #seen: string | null = null;

  constructor(private readonly database: Database) {}

  /**
   * All of them in the order of adding; `null` when nothing has changed since the last call. Rows that a newer version
   * wrote otherwise are left out.
   */
  async readChanged(): Promise<StoredRule[] | null> {
    const { blockRule } = this.database.client;
    const orderBy = { id: 'asc' } as const;
    const versions = await blockRule.findMany({ orderBy, select: { id: true, revision: true } });
    const seen = JSON.stringify(versions);
    if (seen === this.#seen) return null;
    const rows = await blockRule.findMany({ orderBy });
    this.#seen = seen;
    return rows.flatMap(toStoredRule);
  }

  /** Returns its id. */
  async add(row: RuleRow): Promise<number> {
    const { changedTs, changedBy } = row;
    const created = { createdTs: BigInt(changedTs), createdBy: storableText(changedBy) };
    const data = { ...columnsOf(row), ...created, revision: 1 };
    return (await this.database.client.blockRule.create({ data, select: { id: true } })).id;
  }

  /** `false` when it is gone or has been changed since `revision`. */
  async change(id: number, revision: number, row: RuleRow): Promise<boolean> {
    const data = { ...columnsOf(row), revision: { increment: 1 } };
    const { count } = await this.database.client.blockRule.updateMany({ where: { id, revision }, data });
    return count > 0;
  }

  async delete(id: number, revision: number): Promise<boolean> {
    const { count } = await this.database.client.blockRule.deleteMany({ where: { id, revision } });
    return count > 0;
  }

  /** Deletes those that were removed before a time. */
  async prune(beforeTs: number): Promise<void> {
    const where = { removed: true, changedTs: { lt: BigInt(beforeTs) } };
    await this.database.client.blockRule.deleteMany({ where });
  }
}

function toStoredRule(row: RawRow): StoredRule[] {
  const draft = readDraft({ ...row, isEnabled: row.enabled, value: readJson(row.value) });
  if (draft === null) return [];
  const { id, revision, createdBy, changedBy, removed: isRemoved } = row;
  const times = { createdTs: Number(row.createdTs), changedTs: Number(row.changedTs) };
  const rest = { id, revision, createdBy, changedBy, ...times, isRemoved, before: readBefore(row) };
  return [{ ...draft, weight: weightOf(draft.value), ...rest }];
}

function columnsOf({ list, value, isEnabled, note, changedTs, changedBy, isRemoved, before }: RuleRow) {
  return {
    list,
    value: valueText(value),
    enabled: isEnabled,
    note,
    changedTs: BigInt(changedTs),
    changedBy: storableText(changedBy),
    removed: isRemoved,
    before: before === null ? null : before === 'absent' ? '{}' : JSON.stringify(before),
  };
}

function readBefore({ before }: { before: string | null }): Before {
  if (before === null) return null;
  return before === '{}' ? 'absent' : readDraft(readJson(before));
}

function readDraft(entered: unknown): RuleDraft | null {
  if (!isRecord(entered)) return null;
  const { list, value, isEnabled, note } = entered;
  return checkDraft({ list, value, isEnabled, note }).draft;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

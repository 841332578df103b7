import type { z } from 'zod';

import { isRecord } from '../../base/json/is-record.js';
import { storableJsonText, storableText } from '../../base/text/storable-text.js';
import {
  notarySchema,
  pinSchema,
  watchSchema,
  type OtherNotary,
  type Pin,
  type Watch,
} from '../../notary/oversight/rule-schemas.js';
import type { Database } from '../../store/db.js';
import { insertRows } from '../../store/sql/insert-rows.js';

export const RULE_KINDS = ['watch', 'pin', 'notary'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** What is watched, pinned and compared with. */
export interface RuleSets {
  watch: readonly Watch[];
  pin: readonly Pin[];
  notary: readonly OtherNotary[];
}

/** A rule of operators: a command, or an address inside our network, stands only in the configuration. */
const SCHEMAS = {
  watch: watchSchema.omit({ command: true }).required({ webhook: true }),
  pin: pinSchema,
  notary: notarySchema.omit({ allow_private: true }),
} as const;

/** A row of oversight_rule that has been checked. */
export interface StoredRule {
  kind: RuleKind;
  name: string;
  value: Record<string, unknown>;
  createdTs: number;
  createdBy: string;
}

/** Checks what an operator entered. The message says what is wrong, `null` that nothing is. */
export function checkRule(
  kind: RuleKind,
  value: unknown,
): { value: Record<string, unknown>; problem: null } | { value: null; problem: string } {
  const parsed: z.ZodSafeParseResult<Record<string, unknown>> = SCHEMAS[kind].safeParse(value);
  if (parsed.success) return { value: parsed.data, problem: null };
  const [issue] = parsed.error.issues;
  return { value: null, problem: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is wrong'}` };
}

/** Rules that operators added; rows of oversight_rule. */
export class RuleStore {
  constructor(private readonly database: Database) {}

  /** All of them; rows that a newer version wrote otherwise are left out. */
  async list(): Promise<StoredRule[]> {
    const rows = await this.database.client.oversightRule.findMany({
      orderBy: [{ kind: 'asc' }, { name: 'asc' }],
    });
    return rows.flatMap(({ name, createdTs, createdBy, ...row }) => {
      const kind = RULE_KINDS.find((known) => known === row.kind);
      const checked = kind === undefined || !isRecord(row.value) ? null : checkRule(kind, row.value).value;
      if (kind === undefined || checked === null) return [];
      return [{ kind, name, value: checked, createdTs: Number(createdTs), createdBy }];
    });
  }

  count(): Promise<number> {
    return this.database.client.oversightRule.count();
  }

  async save({ kind, name, value, createdTs, createdBy }: StoredRule): Promise<void> {
    const set = 'value = excluded.value, created_ts = excluded.created_ts, created_by = excluded.created_by';
    const target = { table: 'oversight_rule', conflict: `ON CONFLICT (kind, name) DO UPDATE SET ${set}` };
    await insertRows(this.database.plain, target, [
      {
        kind,
        name,
        value: storableJsonText(value),
        created_ts: BigInt(createdTs),
        created_by: storableText(createdBy),
      },
    ]);
  }

  async remove(kind: RuleKind, name: string): Promise<void> {
    await this.database.client.oversightRule.deleteMany({ where: { kind, name } });
  }
}

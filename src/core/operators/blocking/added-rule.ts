import { z } from 'zod';

import { compileAddressRanges, overlaps } from '../../net/address/address-ranges.js';
import { DEFAULT_IP_RANGE_BLACKLIST } from '../../net/address/default-address-ranges.js';
import {
  compileUrlPattern,
  patternWeight,
  URL_COMPONENTS,
  type UrlRule,
} from '../../preview/rules/url-pattern.js';

/** Lists of the configuration that operators add entries to, by the names of their settings. */
export const RULE_LISTS = [
  'url_preview_url_blacklist',
  'url_preview_url_whitelist',
  'url_preview_ip_range_blacklist',
  'url_preview_ip_range_whitelist',
  'ip_range_blacklist',
  'ip_range_whitelist',
] as const;
export type RuleList = (typeof RULE_LISTS)[number];

/** What a rule says, in the form of the configuration. */
export type RuleValue = UrlRule | string;

/** A rule as operators enter it. */
export interface RuleDraft {
  list: RuleList;
  value: RuleValue;
  isEnabled: boolean;
  /** Why it is there; may be empty. */
  note: string;
}

/** Whether it holds; `internal`: it would open internal addresses, which `admin.internal_ranges` does not allow. */
export type RuleStanding = 'in_effect' | 'disabled' | 'internal' | 'removed';

export interface AddedRule extends RuleDraft {
  id: number;
  /** One more with each change. */
  revision: number;
  createdTs: number;
  createdBy: string;
  changedTs: number;
  changedBy: string;
  standing: RuleStanding;
  /** Until when the last change can be undone; `null` when there is none to undo. */
  undoUntilTs: number | null;
}

/** Longest pattern, range and note. */
const MAX_PATTERN_CHARACTERS = 500;
const MAX_RANGE_CHARACTERS = 50;
const MAX_NOTE_CHARACTERS = 200;
/** Of one rule, so that one address costs a tenth of a second at most. */
const MAX_WEIGHT = 1000;

const pattern = z.string().min(1, 'is empty').max(MAX_PATTERN_CHARACTERS).superRefine(checkPattern);

const urlRule = z
  .partialRecord(z.enum(URL_COMPONENTS), pattern)
  .refine((rule) => Object.keys(rule).length > 0, 'names no component and would match every address');

const range = z
  .string()
  .max(MAX_RANGE_CHARACTERS)
  .superRefine((text, context) => {
    try {
      compileAddressRanges([text]);
    } catch (error) {
      context.addIssue(messageOf(error));
    }
  });

const draft = z.object({
  list: z.enum(RULE_LISTS),
  isEnabled: z.boolean(),
  note: z
    .string()
    .max(MAX_NOTE_CHARACTERS)
    .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'holds control characters'),
});
const urlDraft = draft.extend({ value: urlRule });
const rangeDraft = draft.extend({ value: range });

/** Whether entries of a list are about URLs; else they are ranges of network addresses. */
export function isUrlList(list: RuleList): boolean {
  return list === 'url_preview_url_blacklist' || list === 'url_preview_url_whitelist';
}

/** Checks what an operator entered, or a row. `problem` says what is wrong, `null` that nothing is. */
export function checkDraft(
  entered: Readonly<Record<keyof RuleDraft, unknown>>,
): { draft: RuleDraft; problem: null } | { draft: null; problem: string } {
  const isAboutUrls = RULE_LISTS.some((list) => list === entered.list && isUrlList(list));
  const parsed = (isAboutUrls ? urlDraft : rangeDraft).safeParse(entered);
  if (parsed.success) return { draft: parsed.data, problem: null };
  const [issue] = parsed.error.issues;
  const place = issue?.path.slice(1).join('.') || (issue?.path.join('.') ?? '');
  return { draft: null, problem: `${place}: ${issue?.message ?? 'is wrong'}` };
}

/** What matching a rule costs; ranges cost next to nothing. */
export function weightOf(value: RuleValue): number {
  if (typeof value === 'string') return 1;
  return Object.values(value).reduce((sum, one) => sum + patternWeight(one), 0);
}

/** One text for one meaning, whatever the order of its parts. */
export function valueText(value: RuleValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return JSON.stringify(Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

const INTERNAL = compileAddressRanges(DEFAULT_IP_RANGE_BLACKLIST);

/** Whether a rule allows addresses that are refused by default: this machine, private networks, what is reserved. */
export function opensInternal({ list, value }: Pick<RuleDraft, 'list' | 'value'>): boolean {
  const isAllowing = list === 'url_preview_ip_range_whitelist' || list === 'ip_range_whitelist';
  return isAllowing && typeof value === 'string' && overlaps(compileAddressRanges([value]), INTERNAL);
}

function checkPattern(text: string, context: z.RefinementCtx): void {
  try {
    compileUrlPattern(text);
    if (patternWeight(text) > MAX_WEIGHT) context.addIssue('is too costly to match; repeat less, or write *');
  } catch (error) {
    context.addIssue(`is no usable pattern (${messageOf(error).replace('error parsing regexp: ', '')})`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

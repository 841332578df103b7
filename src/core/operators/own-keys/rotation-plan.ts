import type { SigningKeyRow } from '../../notary/own-keys/signing-key-store.js';
import type { TrustedKey } from './peer-snippets.js';

/** What a rotation is judged by; nothing else is kept of one, so that it goes on wherever it was left. */
export interface RotationFacts {
  /** Keys of the key file as it is now; `null`: it cannot be read. */
  file: readonly TrustedKey[] | null;
  /** Keys as the last start of the server found them, oldest first. */
  stored: readonly SigningKeyRow[];
  /** Until when peers may hold a record of ours that lists other keys; `null`: none is known. */
  formerUntilTs: number | null;
  /** Setting key_refresh_interval. */
  validityMs: number;
}

const ROTATION_STEPS = ['make', 'publish', 'wait', 'retire', 'drop', 'forget'] as const;
export type RotationStepName = (typeof ROTATION_STEPS)[number];

export interface RotationStep {
  name: RotationStepName;
  /** `now` is the one to do, or to wait for. */
  state: 'done' | 'now' | 'later';
  /** Since when it is done, or until when it takes; POSIX ms. `null` when not known. */
  ts: number | null;
}

/** The replacement of a key of ours by another. */
export interface Rotation {
  /** The key to go, and the one that takes its place; `null` while there is none. */
  oldKey: TrustedKey | null;
  newKey: TrustedKey | null;
  /** From when on the old key may go: no peer holds a record without the new one any more. `null` before that is known. */
  safeTs: number | null;
  /** What is wrong with the file; `null`: nothing. */
  problem: string | null;
  steps: readonly RotationStep[];
}

type Times = Partial<Record<RotationStepName, number>>;

/**
 * How far the replacement of a key is: a new one in the file (`make`), in our record after a start (`publish`), known to
 * all who fetched a record before (`wait`), the old one out of the file (`retire`), under `old_verify_keys` after another
 * start (`drop`), and no longer held as current by anybody (`forget`).
 */
export function planRotation(facts: RotationFacts, nowTs: number): Rotation {
  const { stored, formerUntilTs } = facts;
  const active = stored.filter(({ state }) => state === 'active');
  const file = facts.file ?? active;
  // Before the first start the first key is the one that another one may follow.
  const known: readonly TrustedKey[] = active.length === 0 ? file.slice(0, 1) : active;
  const unpublished = file.filter(({ keyId }) => !known.some((key) => key.keyId === keyId));
  const gone = active.filter(({ keyId }) => !file.some((key) => key.keyId === keyId));
  const published = active.filter((key) => !gone.includes(key));
  const problem = problemOf(facts, unpublished, gone);
  const newest = published.at(-1) ?? null;
  const common = { problem, safeTs: null };
  if (unpublished.length > 0) {
    const newKey = unpublished.at(-1) ?? null;
    return { ...common, oldKey: known[0] ?? null, newKey, steps: stepsAt('publish', {}) };
  }
  if (gone.length > 0)
    return { ...common, oldKey: gone[0] ?? null, newKey: newest, steps: stepsAt('drop', timesOf(newest)) };
  const [oldest] = published;
  if (newest !== null && oldest !== undefined && oldest !== newest) {
    const safeTs = safeAfter(facts, { oldest, newest });
    const times = { ...timesOf(newest), wait: safeTs };
    const steps = stepsAt(nowTs < safeTs ? 'wait' : 'retire', times);
    return { ...common, safeTs, oldKey: oldest, newKey: newest, steps };
  }
  const last = lastRetired(stored);
  if (last === null || formerUntilTs === null || formerUntilTs <= nowTs)
    return { ...common, oldKey: known[0] ?? null, newKey: null, steps: stepsAt('make', {}) };
  const times = { ...timesOf(newest), drop: last.retiredTs ?? undefined, forget: formerUntilTs };
  return { ...common, oldKey: last, newKey: newest, steps: stepsAt('forget', times) };
}

function timesOf(newest: SigningKeyRow | null): Times {
  return newest === null ? {} : { publish: newest.firstSeenTs };
}

/** When the last record that lacked the new key ends with those who hold it. */
function safeAfter(
  { formerUntilTs, validityMs }: RotationFacts,
  { oldest, newest }: { oldest: SigningKeyRow; newest: SigningKeyRow },
): number {
  if (formerUntilTs !== null) return formerUntilTs;
  // Keys that came together were never published apart.
  return oldest.firstSeenTs === newest.firstSeenTs ? newest.firstSeenTs : newest.firstSeenTs + validityMs;
}

function lastRetired(stored: readonly SigningKeyRow[]): SigningKeyRow | null {
  const retired = stored.filter(({ state }) => state === 'retired');
  return retired.toSorted((a, b) => (b.retiredTs ?? 0) - (a.retiredTs ?? 0))[0] ?? null;
}

function stepsAt(now: RotationStepName, times: Times): RotationStep[] {
  const at = ROTATION_STEPS.indexOf(now);
  return ROTATION_STEPS.map((name, index) => ({
    name,
    state: index < at ? 'done' : index === at ? 'now' : 'later',
    ts: times[name] ?? null,
  }));
}

function problemOf(
  { file }: RotationFacts,
  unpublished: readonly TrustedKey[],
  gone: readonly SigningKeyRow[],
): string | null {
  if (file === null)
    return 'The signing key file cannot be read, so that this shows what the last start found.';
  if (unpublished.length === 0 || gone.length === 0) return null;
  return (
    `The signing key file lacks ${gone.map(({ keyId }) => keyId).join(', ')} already, though peers do not know ` +
    `${unpublished.map(({ keyId }) => keyId).join(', ')} yet. Put the line back before the server starts again.`
  );
}

import type { SigningKeyRow } from '../../notary/own-keys/signing-key-store.js';
import type { TrustedKey } from './own-signing-keys.js';

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

export type RotationStep = 'make' | 'publish' | 'wait' | 'retire' | 'drop' | 'forget';

/** The replacement of a key of ours by another. */
export interface Rotation {
  /** The key to go, and the one that takes its place; `null` while there is none. */
  oldKey: TrustedKey | null;
  newKey: TrustedKey | null;
  /** When no peer holds a record from before any more: what `wait` and `forget` wait for. `null` at other steps. */
  safeTs: number | null;
  /** What is wrong with the file; `null`: nothing. */
  problem: string | null;
  /** What is to be done, or waited for. */
  step: RotationStep;
}

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
  if (unpublished.length > 0)
    return { ...common, oldKey: known[0] ?? null, newKey: unpublished.at(-1) ?? null, step: 'publish' };
  if (gone.length > 0) return { ...common, oldKey: gone[0] ?? null, newKey: newest, step: 'drop' };
  const [oldest] = published;
  if (newest !== null && oldest !== undefined && oldest !== newest) {
    const safeTs = safeAfter(facts, { oldest, newest });
    return { problem, safeTs, oldKey: oldest, newKey: newest, step: nowTs < safeTs ? 'wait' : 'retire' };
  }
  const last = lastRetired(stored);
  if (last === null || formerUntilTs === null || formerUntilTs <= nowTs)
    return { ...common, oldKey: known[0] ?? null, newKey: null, step: 'make' };
  return { problem, safeTs: formerUntilTs, oldKey: last, newKey: newest, step: 'forget' };
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

function problemOf(
  { file }: RotationFacts,
  unpublished: readonly TrustedKey[],
  gone: readonly SigningKeyRow[],
): string | null {
  if (file === null)
    return 'The signing key file cannot be read; this shows the keys found at the last start.';
  if (unpublished.length === 0 || gone.length === 0) return null;
  return (
    `The signing key file lacks ${gone.map(({ keyId }) => keyId).join(', ')} already, but peers do not know ` +
    `${unpublished.map(({ keyId }) => keyId).join(', ')} yet. Put the line back before the server starts again.`
  );
}

/** What to do at the step a rotation is at, in one or two sentences. */
export function rotationAdvice({ step, oldKey, newKey, safeTs }: Rotation): string {
  const [oldId, newId] = [oldKey?.keyId ?? 'the old key', newKey?.keyId ?? 'the new key'];
  const until = safeTs === null ? 'For a while' : `Until ${timeOf(safeTs)}`;
  const sentences: Readonly<Record<RotationStep, string>> = {
    make: `Adds a key to the file; nothing else changes. Do this well before you remove ${oldId}: peers need time.`,
    publish:
      'Back up the key file. Restart the server: every instance, with the same file. From then on both keys sign.',
    wait:
      `${until} peers may hold a record without ${newId}. Do not retire a key before. ` +
      'Send the lines with both keys to operators who configured our keys.',
    retire:
      `Safe once all operators who configured our keys have the lines with both. ${oldId} is moved to ` +
      'a file of its own, not deleted.',
    drop:
      `Restart the server: every instance, with the same file. From then on only the new key signs, and ${oldId} ` +
      'is in old_verify_keys, so that its signatures stay valid.',
    forget: `${until} peers may hold a record in which ${oldId} signs. Delete its file after that.`,
  };
  return sentences[step];
}

function timeOf(ts: number): string {
  return `${new Date(ts).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

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
    return 'The signing key file cannot be read; this shows the keys found at the last start.';
  if (unpublished.length === 0 || gone.length === 0) return null;
  return (
    `The signing key file lacks ${gone.map(({ keyId }) => keyId).join(', ')} already, but peers do not know ` +
    `${unpublished.map(({ keyId }) => keyId).join(', ')} yet. Put the line back before the server starts again.`
  );
}

/** A step as people read it. */
export interface DescribedRotationStep extends RotationStep {
  title: string;
  sentence: string;
  /** What is typed to do it, without program and configuration; `null` when there is nothing to type. */
  command: string | null;
}

const TITLES: Readonly<Record<RotationStepName, string>> = {
  make: 'Create the new key',
  publish: 'Publish it beside the old one',
  wait: 'Wait for peers to pick it up',
  retire: 'Remove the old key from the file',
  drop: 'Publish the old key as retired',
  forget: 'Wait until peers drop the old key',
};
const COMMANDS: Readonly<Partial<Record<RotationStepName, string>>> = {
  make: 'keys rotate begin',
  retire: 'keys rotate retire',
};

/** The steps of a rotation with what each is about, and what is safe at it. */
export function describeRotation({ steps, oldKey, newKey }: Rotation): DescribedRotationStep[] {
  const keys = { oldId: oldKey?.keyId ?? 'the old key', newId: newKey?.keyId ?? 'the new key' };
  return steps.map((step) => ({
    ...step,
    title: TITLES[step.name],
    sentence: SENTENCES[step.name](keys, step),
    command: step.state === 'now' ? (COMMANDS[step.name] ?? null) : null,
  }));
}

type Words = (keys: { oldId: string; newId: string }, step: RotationStep) => string;

const SENTENCES: Readonly<Record<RotationStepName, Words>> = {
  make: ({ oldId, newId }, { state }) =>
    state === 'done'
      ? `${newId} is in the key file beside ${oldId}. Back up the file.`
      : `Adds a key to the file; nothing else changes. Do it well before you remove ${oldId}: peers need time.`,
  publish: ({ oldId, newId }, { state, ts }) =>
    state === 'done'
      ? `${oldId} and ${newId} both sign and are in our record${since(ts)}.`
      : 'Restart the server: every instance, with the same file. From then on both keys sign.',
  wait: ({ newId }, { state, ts }) =>
    state === 'done'
      ? `Every record without ${newId} has expired${at(ts)}.`
      : `${ts === null ? 'For a while' : `Until ${timeOf(ts)}`} peers may hold a record without ${newId}. Do not retire ` +
        'a key before. Send the lines with both keys to operators who name our keys in their configuration.',
  retire: ({ oldId }, { state }) =>
    state === 'done'
      ? `${oldId} is no longer in the key file; a copy is kept beside it.`
      : `Safe once everybody who names our keys in a configuration has the lines with both. ${oldId} is moved to ` +
        'a file of its own, not deleted.',
  drop: ({ oldId }, { state, ts }) =>
    state === 'done'
      ? `${oldId} is in old_verify_keys${since(ts)}.`
      : `Restart the server: every instance, with the same file. From then on only the new key signs, and ${oldId} ` +
        'is in old_verify_keys, so that its signatures stay valid.',
  forget: ({ oldId }, { ts }) =>
    `${ts === null ? 'For a while' : `Until ${timeOf(ts)}`} peers may hold a record in which ${oldId} signs. ` +
    'Delete its file after that.',
};

function since(ts: number | null): string {
  return ts === null ? '' : ` since ${timeOf(ts)}`;
}

function at(ts: number | null): string {
  return ts === null ? '' : ` at ${timeOf(ts)}`;
}

function timeOf(ts: number): string {
  return `${new Date(ts).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

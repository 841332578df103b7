import type { Rotation, RotationStep, RotationStepName } from './rotation-plan.js';

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

import { ArgsType, ObjectType } from 'type-graphql';

import type { RotationView } from '../../core/operators/own-keys/key-rotation.js';
import { ROTATION_STATES, ROTATION_STEPS } from '../../core/operators/own-keys/rotation-plan.js';
import { describeRotation } from '../../core/operators/own-keys/rotation-words.js';
import { wordsEnum } from '../common/enums.js';
import { toDate, withDates } from '../common/dates.js';
import { field, nullable, objectFields } from '../common/fields.js';
import { mutationArgs, payloadFields } from '../common/mutation.js';
import { PeerSnippet } from './signing-key.type.js';

export const RotationStepName = wordsEnum('RotationStepName', ROTATION_STEPS);
export const RotationStepState = wordsEnum('RotationStepState', ROTATION_STATES);

@ObjectType({ description: 'A step of replacing a signing key of ours' })
export class RotationStep extends objectFields({
  name: RotationStepName,
  state: RotationStepState,
  at: nullable(Date, { description: 'Since when it is done, or until when it takes; null when not known' }),
  title: String,
  sentence: field(String, { description: 'What it is about, and what is safe' }),
  command: nullable(String, { description: 'What is typed to do it, without program and configuration' }),
}) {}

@ObjectType({ description: 'How far the replacement of a signing key of ours is' })
export class KeyRotation extends objectFields({
  oldKeyId: nullable(String, { description: 'The key to go; null when there is none' }),
  newKeyId: nullable(String, { description: 'The key that takes its place; null while there is none' }),
  safeAt: nullable(Date, { description: 'From when on the old key may go; null before that is known' }),
  obstacle: nullable(String, { description: 'Why no key can be replaced from here; null: it can' }),
  problem: nullable(String, { description: 'What is wrong with the key file; null: nothing' }),
  steps: [RotationStep],
  peerSnippets: field([PeerSnippet], {
    description: 'Lines for peers with every key that they shall accept',
  }),
  oldSigningKeys: nullable(String, {
    description: 'Lines for our own configuration beside a homeserver; null where none are needed',
  }),
}) {}

@ArgsType()
export class BeginKeyRotationArgs extends mutationArgs({
  version: nullable(String, { description: 'What follows ed25519: in the key ID; made up without it' }),
}) {}

@ArgsType()
export class RetireSigningKeyArgs extends mutationArgs({
  keyId: field(String, { description: 'The key that is to go, as it was shown' }),
}) {}

@ObjectType()
export class KeyRotationPayload extends payloadFields({
  rotation: KeyRotation,
}) {}

/** A rotation as the outside sees it. */
export function toKeyRotation(view: RotationView): KeyRotation {
  const { oldKey, newKey, safeTs, obstacle, problem, peerSnippets, oldSigningKeys } = view;
  return {
    oldKeyId: oldKey?.keyId ?? null,
    newKeyId: newKey?.keyId ?? null,
    safeAt: toDate(safeTs),
    obstacle,
    problem,
    steps: describeRotation(view).map(withDates),
    peerSnippets,
    oldSigningKeys,
  };
}

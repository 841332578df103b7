import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';

import { useChange } from '../../api/use-change.js';
import { useCan, useViewer } from '../../session/viewer-context.js';
import { ConfirmDialog } from '../../ui/dialog/dialog.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { Panel } from '../../ui/page.js';
import { ToneIcon } from '../../ui/state.js';
import { Note, Snippet, UntrustedText } from '../../ui/text/text.js';
import { beginMutation, retireMutation, type Rotation } from './own-keys-query.js';

const STEPS: readonly (readonly [step: Rotation['step'], title: string])[] = [
  ['MAKE', 'Create the new key'],
  ['PUBLISH', 'Publish it beside the old one'],
  ['WAIT', 'Wait for peers to pick it up'],
  ['RETIRE', 'Remove the old key from the file'],
  ['DROP', 'Publish the old key as retired'],
  ['FORGET', 'Wait until peers drop the old key'],
];

/** The replacement of a key as steps: what is done, what is next, and what is safe. */
export function RotationPanel({ rotation }: { rotation: Rotation }) {
  const { step, newKeyId, oldKeyId, obstacle, problem, oldSigningKeys } = rotation;
  const now = STEPS.findIndex(([name]) => name === step);
  return (
    <Panel
      title="Rotation"
      note={newKeyId === null ? 'no rotation in progress' : `${newKeyId} replaces ${oldKeyId ?? 'no key'}`}
    >
      <Stack gap="sm">
        {problem !== null && (
          <Alert color="bad">
            <UntrustedText text={problem} />
          </Alert>
        )}
        <Stack component="ol" gap="xs" aria-label="Steps of the rotation">
          {STEPS.map(([name, title], index) => (
            <Step key={name} title={title} offset={index - now} rotation={rotation} />
          ))}
        </Stack>
        {obstacle !== null && <Text c="dimmed">{obstacle}</Text>}
        {oldSigningKeys !== null && (
          <>
            <Text c="dimmed">
              Next to a homeserver, retired keys are published only if the configuration lists them:
            </Text>
            <Snippet text={oldSigningKeys} what="lines for our configuration" />
          </>
        )}
      </Stack>
    </Panel>
  );
}

/** `offset` counts from the current step. */
function Step({ title, offset, rotation }: { title: string; offset: number; rotation: Rotation }) {
  const isNow = offset === 0;
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="xs">
      <ToneIcon tone={isNow ? 'busy' : offset < 0 ? 'ok' : 'idle'} size={14} />
      <Stack gap={4} flex={1} miw={0}>
        <Text fw={550}>
          {title}{' '}
          <Text component="span" size="xs" c="dimmed">
            {isNow ? 'next' : offset < 0 ? 'done' : 'later'}
          </Text>
        </Text>
        {isNow && <Note>{rotation.advice}</Note>}
        {isNow && rotation.obstacle === null && <Next rotation={rotation} />}
      </Stack>
    </Group>
  );
}

/** What can be done at the step that is next: here, or on the machine. */
function Next({ rotation: { step, oldKeyId } }: { rotation: Rotation }) {
  const can = useCan();
  const { program } = useViewer();
  const [isOpen, setOpen] = useState(false);
  if (step !== 'MAKE' && step !== 'RETIRE') return null;
  const isBegin = step === 'MAKE';
  const close = () => setOpen(false);
  return (
    <>
      {can(isBegin ? 'beginKeyRotation' : 'retireSigningKey') && (
        <Group>
          <Button onClick={() => setOpen(true)}>
            {isBegin ? 'Create the new key…' : 'Retire the old key…'}
          </Button>
        </Group>
      )}
      <Snippet text={`${program} keys rotate ${isBegin ? 'begin' : 'retire'}`} what="command" />
      {isBegin ? (
        <BeginDialog opened={isOpen} onClose={close} />
      ) : (
        <RetireDialog keyId={oldKeyId ?? ''} opened={isOpen} onClose={close} />
      )}
    </>
  );
}

interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Adds a key to the file. */
function BeginDialog(props: DialogProps) {
  const { mutateAsync } = useChange(beginMutation);
  const tell = useTell();
  const run = async () => {
    const { userErrors, rotation } = (await mutateAsync({})).beginKeyRotation;
    if (userErrors.length === 0) tell(`Created ${rotation.newKeyId ?? 'a key'}`);
    return userErrors;
  };
  return (
    <ConfirmDialog {...props} verb="Create" thing="a new signing key" onConfirm={run} danger={false}>
      <p>It is added to the key file and published after the next restart. The current key stays in use.</p>
    </ConfirmDialog>
  );
}

/** Takes a key out of the file. */
function RetireDialog({ keyId, ...props }: DialogProps & { keyId: string }) {
  const { mutateAsync } = useChange(retireMutation);
  const tell = useTell();
  const run = async () => {
    const { userErrors } = (await mutateAsync({ keyId })).retireSigningKey;
    if (userErrors.length === 0) tell(`Removed ${keyId} from the key file`);
    return userErrors;
  };
  return (
    <ConfirmDialog {...props} verb="Retire" thing={`the signing key ${keyId}`} onConfirm={run}>
      <p>
        It moves to a file beside the key file; nothing is deleted. It signs until the next restart and is
        then listed in old_verify_keys. Peers that trust only this key reject our answers.
      </p>
    </ConfirmDialog>
  );
}

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

type StepData = Rotation['steps'][number];

const STATES = {
  DONE: { tone: 'ok', word: 'done' },
  NOW: { tone: 'busy', word: 'next' },
  LATER: { tone: 'idle', word: 'later' },
} as const;

/** The replacement of a key as steps: what is done, what is next, and what is safe. */
export function RotationPanel({ rotation }: { rotation: Rotation }) {
  const { steps, newKeyId, oldKeyId, obstacle, problem, oldSigningKeys } = rotation;
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
          {steps.map((step) => (
            <Step key={step.title} step={step} rotation={rotation} />
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

function Step({ step, rotation }: { step: StepData; rotation: Rotation }) {
  const { state, title, sentence } = step;
  const { tone, word } = STATES[state];
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="xs">
      <ToneIcon tone={tone} size={14} />
      <Stack gap={4} flex={1} miw={0}>
        <Text fw={550}>
          {title}{' '}
          <Text component="span" size="xs" c="dimmed">
            {word}
          </Text>
        </Text>
        {state !== 'LATER' && <Note>{sentence}</Note>}
        {state === 'NOW' && rotation.obstacle === null && <Next step={step} oldKeyId={rotation.oldKeyId} />}
      </Stack>
    </Group>
  );
}

/** What can be done at the step that is next: here, or on the machine. */
function Next({ step: { command: words }, oldKeyId }: { step: StepData; oldKeyId: string | null }) {
  const can = useCan();
  const { program } = useViewer();
  const [isOpen, setOpen] = useState(false);
  if (words === null) return null;
  const isBegin = words === 'keys rotate begin';
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
      <Snippet text={`${program} ${words}`} what="command" />
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

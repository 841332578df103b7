import { Button } from '@mantine/core';
import { Icon } from '../../ui/icons.js';
import { useState } from 'react';

import { useCan, useCommand } from '../../session/viewer-context.js';
import { Panel } from '../../ui/page/panel.js';
import { ToneIcon } from '../../ui/state/state-badge.js';
import { Snippet } from '../../ui/text/snippet.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import type { Rotation } from './own-keys-query.js';
import { BeginDialog, RetireDialog } from './rotation-dialogs.js';
import styles from './own-keys.module.css';

const WORDS = { DONE: 'done', NOW: 'next', LATER: 'later' } as const;

/** The replacement of a key as steps: what is done, what is next, and what is safe. */
export function RotationPanel({ rotation }: { rotation: Rotation }) {
  const { steps, newKeyId, oldKeyId, obstacle, problem, oldSigningKeys } = rotation;
  return (
    <Panel
      title="Rotation"
      note={newKeyId === null ? 'no rotation in progress' : `${newKeyId} replaces ${oldKeyId ?? 'no key'}`}
    >
      <div className={styles.stack}>
        {problem !== null && (
          <p className={styles.problem} role="alert">
            <ToneIcon tone="bad" /> <UntrustedText text={problem} />
          </p>
        )}
        <ol className={styles.steps} aria-label="Steps of the rotation">
          {steps.map((step) => (
            <Step key={step.title} step={step} rotation={rotation} />
          ))}
        </ol>
        {obstacle !== null && <p className={styles.quiet}>{obstacle}</p>}
        {oldSigningKeys !== null && (
          <>
            <p className={styles.quiet}>
              Beside a homeserver retired keys are published only where the configuration names them:
            </p>
            <Snippet text={oldSigningKeys} what="lines for our configuration" />
          </>
        )}
      </div>
    </Panel>
  );
}

function Step({ step, rotation }: { step: Rotation['steps'][number]; rotation: Rotation }) {
  const { state, title, sentence } = step;
  return (
    <li className={styles.step} data-state={state}>
      {state === 'NOW' ? (
        <Icon name="arrowRight" size={14} />
      ) : (
        <ToneIcon tone={state === 'DONE' ? 'ok' : 'idle'} size={14} />
      )}
      <div>
        <p className={styles.stepTitle}>
          {title} <span className={styles.stepState}>{WORDS[state]}</span>
        </p>
        {state !== 'LATER' && <p className={styles.quiet}>{sentence}</p>}
        {state === 'NOW' && rotation.obstacle === null && <Next step={step} oldKeyId={rotation.oldKeyId} />}
      </div>
    </li>
  );
}

/** What can be done at the step that is next: here, or on the machine. */
function Next({ step, oldKeyId }: { step: Rotation['steps'][number]; oldKeyId: string | null }) {
  const can = useCan();
  const command = useCommand();
  const [isOpen, setOpen] = useState(false);
  if (step.command === null) return null;
  const isBegin = step.command === 'keys rotate begin';
  const close = () => setOpen(false);
  return (
    <div className={styles.next}>
      {can(isBegin ? 'beginKeyRotation' : 'retireSigningKey') && (
        <Button onClick={() => setOpen(true)}>
          {isBegin ? 'Create the new key…' : 'Retire the old key…'}
        </Button>
      )}
      <Snippet text={command(step.command)} what="command" />
      {isBegin ? (
        <BeginDialog opened={isOpen} onClose={close} />
      ) : (
        <RetireDialog keyId={oldKeyId ?? ''} opened={isOpen} onClose={close} />
      )}
    </div>
  );
}

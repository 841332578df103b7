import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';

import { toFailure } from '../../api/failure.js';
import { useHold } from '../../live/live-context.js';
import { UserErrors } from './user-errors.js';
import type { UserErrorLine } from './user-errors.js';
import styles from './dialog.module.css';

const TYPED_ABOVE = 100;

interface ConfirmDialogProps {
  opened: boolean;
  onClose: () => void;
  /** The verb, e.g. "Delete"; also the button. */
  verb: string;
  /** The thing with its number: "1 preview", "2,000 media items", "the record ed25519:a of example.org". */
  thing: string;
  /** How many; above 100 the phrase must be typed. */
  count: number;
  /** True asks for the typed phrase whatever the count: all of a kind, or cannot be undone. */
  typed?: boolean;
  /** What it does and what it leaves untouched. */
  children: ReactNode;
  /** Runs it. Returned userErrors are shown and the dialog stays; an empty list closes it. */
  onConfirm: () => Promise<readonly UserErrorLine[]>;
  /** Red button; default true. */
  danger?: boolean;
}

/** Names the thing and the count before something goes away. Focus returns to what opened it. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  useHold(props.opened);
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={`${props.verb} ${props.thing}?`}>
      <ConfirmBody {...props} />
    </Modal>
  );
}

function ConfirmBody({
  onClose,
  verb,
  count,
  typed = false,
  children,
  onConfirm,
  danger = true,
}: ConfirmDialogProps) {
  const [phrase, setPhrase] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [errors, setErrors] = useState<readonly UserErrorLine[]>([]);
  const mustType = typed || count > TYPED_ABOVE;
  const wanted = `${verb.toLowerCase()} ${count}`;
  const run = async () => {
    setBusy(true);
    const found = await onConfirm().catch((error: unknown) => [toFailure(error)]);
    setBusy(false);
    if (found.length === 0) onClose();
    else setErrors(found);
  };
  return (
    <form
      className={styles.body}
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <div className={styles.words} data-prose>
        {children}
      </div>
      {mustType && (
        <TextInput
          label={
            <>
              Type <code>{wanted}</code> to go on
            </>
          }
          value={phrase}
          onChange={(event) => setPhrase(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
      )}
      <UserErrors errors={errors} />
      <div className={styles.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="filled"
          {...(danger ? { color: 'seal' } : {})}
          loading={isBusy}
          disabled={mustType && phrase.trim() !== wanted}
        >
          {verb}
        </Button>
      </div>
    </form>
  );
}

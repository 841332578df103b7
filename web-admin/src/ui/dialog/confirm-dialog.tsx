import { Button, Modal, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';

import { useHold } from '../../live/live-context.js';
import { useSubmit } from './use-submit.js';
import { UserErrors, type UserErrorLine } from './user-errors.js';
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

function ConfirmBody(props: ConfirmDialogProps) {
  const { onClose, verb, count, typed = false, danger = true } = props;
  const [phrase, setPhrase] = useState('');
  const { isBusy, errors, onSubmit } = useSubmit(async () => {
    const found = await props.onConfirm();
    if (found.length === 0) onClose();
    return found;
  });
  const mustType = typed || count > TYPED_ABOVE;
  const wanted = `${verb.toLowerCase()} ${count}`;
  return (
    <form className={styles.body} onSubmit={onSubmit}>
      <div className={styles.words} data-prose>
        {props.children}
      </div>
      {mustType && <PhraseInput wanted={wanted} phrase={phrase} onChange={setPhrase} />}
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

interface PhraseInputProps {
  wanted: string;
  phrase: string;
  onChange: (phrase: string) => void;
}

function PhraseInput({ wanted, phrase, onChange }: PhraseInputProps) {
  return (
    <TextInput
      label={
        <>
          Type <code>{wanted}</code> to go on
        </>
      }
      value={phrase}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
      data-autofocus
    />
  );
}

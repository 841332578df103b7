import { Button, Modal, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';

import { useHold } from '../../live/live-context.js';
import { useSubmit } from './use-submit.js';
import { UserErrors, type UserErrorLine } from './user-errors.js';
import styles from './dialog.module.css';

const TYPED_ABOVE = 25;

interface ConfirmDialogProps {
  opened: boolean;
  onClose: () => void;
  /** The verb, e.g. "Delete"; also the button. */
  verb: string;
  /** The thing with its number: "1 preview", "2,000 media items", "the record ed25519:a of example.org". */
  thing: string;
  /** How many; above 25 the number must be typed where something goes away. */
  count: number;
  /** What it does and what it leaves untouched. */
  children: ReactNode;
  /** Runs it. Returned userErrors are shown and the dialog stays; an empty list closes it. */
  onConfirm: () => Promise<readonly UserErrorLine[]>;
  /** Something goes away: a red button; default true. */
  danger?: boolean;
}

/**
 * Names the thing and the count before something happens to it. Focus returns to what opened it; when that goes, too, the
 * list it stood in has it.
 */
export function ConfirmDialog(props: ConfirmDialogProps) {
  useHold(props.opened);
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      onExitTransitionEnd={focusList}
      title={`${props.verb} ${props.thing}?`}
    >
      <ConfirmBody {...props} />
    </Modal>
  );
}

function ConfirmBody(props: ConfirmDialogProps) {
  const { onClose, verb, count, danger = true } = props;
  const [phrase, setPhrase] = useState('');
  const { isBusy, errors, onSubmit } = useSubmit(async () => {
    const found = await props.onConfirm();
    if (found.length === 0) onClose();
    return found;
  });
  const mustType = danger && count > TYPED_ABOVE;
  const isTyped = phrase.replaceAll(/[\s,]/g, '') === String(count);
  return (
    <form className={styles.body} onSubmit={onSubmit}>
      <div className={styles.words} data-prose>
        {props.children}
      </div>
      {mustType && <NumberInput count={count} phrase={phrase} onChange={setPhrase} />}
      <UserErrors errors={errors} />
      <div className={styles.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="filled"
          {...(danger ? { color: 'seal' } : {})}
          loading={isBusy}
          disabled={mustType && !isTyped}
        >
          {verb}
        </Button>
      </div>
    </form>
  );
}

/** Without this the keyboard would start at the top of the page again. */
function focusList(): void {
  if (document.activeElement !== document.body) return;
  const place = document.querySelector<HTMLElement>('[data-list]') ?? document.querySelector('main');
  place?.focus({ preventScroll: true });
}

interface NumberInputProps {
  count: number;
  phrase: string;
  onChange: (phrase: string) => void;
}

function NumberInput({ count, phrase, onChange }: NumberInputProps) {
  return (
    <TextInput
      label={
        <>
          Type <code>{count}</code> to confirm
        </>
      }
      value={phrase}
      onChange={(event) => onChange(event.currentTarget.value)}
      inputMode="numeric"
      autoComplete="off"
      spellCheck={false}
      data-autofocus
    />
  );
}

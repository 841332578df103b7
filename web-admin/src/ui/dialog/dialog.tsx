import { Alert, Button, Group, Modal, Paper, Stack, Text, TextInput } from '@mantine/core';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Modal.css';
import { useState, type ReactNode } from 'react';

import { toRequestError } from '../../api/request-error.js';
import { useHold } from '../../live/live-context.js';
import { UntrustedText } from '../text/text.js';

/** The part of a UserError that is shown. */
export interface UserErrorLine {
  message: string;
  code?: string;
}

/** Expected failures of a mutation, one line each. Draws nothing for an empty list. */
export function UserErrors({ errors }: { errors: readonly UserErrorLine[] }) {
  if (errors.length === 0) return null;
  return (
    <Alert color="bad" p="xs">
      {errors.map(({ message, code }) => (
        <Text key={message} component="div" inherit>
          <UntrustedText text={message} /> {code !== undefined && <code>{code}</code>}
        </Text>
      ))}
    </Alert>
  );
}

interface DialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  size?: string | number;
  /** Made anew each time it opens. */
  children: ReactNode;
}

/** A window above the page; live refresh rests behind it. */
export function Dialog({ opened, onClose, children, ...rest }: DialogProps) {
  useHold(opened);
  return (
    <Modal opened={opened} onClose={onClose} onExitTransitionEnd={focusList} {...rest}>
      {children}
    </Modal>
  );
}

/** When what opened a dialog has gone with it, the keyboard would start at the top of the page again. */
function focusList(): void {
  if (document.activeElement !== document.body) return;
  const place = document.querySelector<HTMLElement>('[data-list]') ?? document.querySelector('main');
  place?.focus({ preventScroll: true });
}

interface DialogFormProps {
  /** The verb of the button. */
  verb: string;
  onClose: () => void;
  /** Runs it. What is returned was wrong and is shown; an empty list closes the dialog, null leaves it open. */
  onRun: () => Promise<readonly UserErrorLine[] | null>;
  children: ReactNode;
  /** Something goes away: a red button. */
  danger?: boolean;
  isDisabled?: boolean;
  cancel?: string;
}

/** What a dialog asks, what was wrong with it, and its two buttons. */
export function DialogForm(props: DialogFormProps) {
  const { verb, onClose, onRun, children, danger = false, isDisabled = false, cancel = 'Cancel' } = props;
  const [isBusy, setBusy] = useState(false);
  const [errors, setErrors] = useState<readonly UserErrorLine[]>([]);
  const submit = async () => {
    setBusy(true);
    const found = await onRun().catch((error: unknown) => [toRequestError(error)]);
    setBusy(false);
    if (found?.length === 0) onClose();
    else setErrors(found ?? []);
  };
  return (
    <Stack
      component="form"
      gap="sm"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {children}
      <UserErrors errors={errors} />
      <Group justify="flex-end" gap="xs">
        <Button onClick={onClose}>{cancel}</Button>
        <Button
          type="submit"
          variant="filled"
          {...(danger ? { color: 'bad' } : {})}
          loading={isBusy}
          disabled={isDisabled}
        >
          {verb}
        </Button>
      </Group>
    </Stack>
  );
}

const TYPED_ABOVE = 25;

interface ConfirmDialogProps extends Pick<DialogFormProps, 'verb' | 'danger'> {
  opened: boolean;
  onClose: () => void;
  /** The thing with its number: "1 preview", "2,000 media items", "the record ed25519:a of example.org". */
  thing: string;
  /** How many; above 25 the number must be typed where something goes away. */
  count?: number;
  /** What it does and what it leaves untouched. */
  children: ReactNode;
  onConfirm: () => Promise<readonly UserErrorLine[]>;
}

/** Names the thing and the count before something happens to it. */
export function ConfirmDialog({ opened, onClose, ...form }: ConfirmDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={`${form.verb} ${form.thing}?`}>
      <ConfirmForm {...form} onClose={onClose} />
    </Dialog>
  );
}

function ConfirmForm(props: Omit<ConfirmDialogProps, 'opened'>) {
  const { onClose, verb, count = 1, danger = true, onConfirm, children } = props;
  const [phrase, setPhrase] = useState('');
  const mustType = danger && count > TYPED_ABOVE;
  const isTyped = phrase.replaceAll(/[\s,]/g, '') === String(count);
  return (
    <DialogForm
      verb={verb}
      onClose={onClose}
      onRun={onConfirm}
      danger={danger}
      isDisabled={mustType && !isTyped}
    >
      {children}
      {mustType && (
        <TextInput
          label={`Type ${count} to confirm`}
          value={phrase}
          onChange={(event) => setPhrase(event.currentTarget.value)}
          inputMode="numeric"
          autoComplete="off"
          data-autofocus
        />
      )}
    </DialogForm>
  );
}

interface WhatGoesProps {
  /** The filter in words: "host example.org", "expired"; null for ticked rows. */
  filter: readonly string[] | null;
  /** Names of the first five; undefined until they are known. */
  first: readonly string[] | undefined;
  count: number;
}

/** What a dialog is about: the filter, the first few, the number. */
export function WhatGoes({ filter, first, count }: WhatGoesProps) {
  const more = count - (first?.length ?? count);
  return (
    <Paper component="section" withBorder p="xs" bg="var(--v-sunken)" aria-label="Affected">
      {filter !== null && (
        <p>
          {filter.length === 0 ? (
            <strong>No filter is set: this is everything.</strong>
          ) : (
            <>
              All that match: <strong>{filter.join(', ')}</strong>
            </>
          )}
        </p>
      )}
      <ul>
        {first?.map((name) => (
          <li key={name}>
            <UntrustedText text={name} max={64} />
          </li>
        ))}
      </ul>
      {more > 0 && <p>and {more.toLocaleString('en')} more</p>}
    </Paper>
  );
}

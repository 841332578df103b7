import { Button, Modal, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';

import { useChange } from '../../api/use-change.js';
import { useHold } from '../../live/live-context.js';
import { useSubmit } from '../../ui/dialog/use-submit.js';
import { UserErrors } from '../../ui/dialog/user-errors.js';
import styles from '../../ui/dialog/dialog.module.css';
import { setNotaryMutation } from './watches-query.js';

interface NotaryDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Has another notary asked from now on. */
export function NotaryDialog({ opened, onClose }: NotaryDialogProps) {
  useHold(opened);
  return (
    <Modal opened={opened} onClose={onClose} title="Add a notary">
      <NotaryForm onClose={onClose} />
    </Modal>
  );
}

const EMPTY = { serverName: '', url: '', keys: '' };

function NotaryForm({ onClose }: { onClose: () => void }) {
  const { mutateAsync } = useChange(setNotaryMutation);
  const [entered, setEntered] = useState(EMPTY);
  const { isBusy, errors, onSubmit } = useSubmit(async () => {
    const { serverName, url, keys } = entered;
    const input = { serverName: serverName.trim(), url: url.trim(), keys: keysIn(keys) };
    const { userErrors } = (await mutateAsync({ input })).setNotary;
    if (userErrors.length === 0) onClose();
    return userErrors;
  });
  const field = (name: keyof typeof EMPTY) =>
    textField(entered[name], (value) => setEntered((before) => ({ ...before, [name]: value })));
  return (
    <form className={styles.body} onSubmit={onSubmit}>
      <p className={styles.words}>
        It is asked when a server appears or its keys change, and believed when one of these keys signed the
        answer. An address inside our network stands in the configuration.
      </p>
      <TextInput label="Server name of the notary" {...field('serverName')} />
      <TextInput label="Address" placeholder="https://notary.example.org/" {...field('url')} />
      <Textarea
        label="Its keys"
        description="One a line: key ID and public key, such as ed25519:a_1 and 43 characters of base64"
        autosize
        minRows={2}
        {...field('keys')}
      />
      <UserErrors errors={errors} />
      <div className={styles.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={isBusy}>
          Add
        </Button>
      </div>
    </form>
  );
}

function textField(value: string, onText: (text: string) => void) {
  return {
    required: true,
    value,
    onChange: (event: { currentTarget: { value: string } }) => onText(event.currentTarget.value),
    autoComplete: 'off',
    spellCheck: false,
  };
}

function keysIn(text: string): { keyId: string; publicKey: string }[] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([keyId]) => keyId !== '')
    .map(([keyId = '', publicKey = '']) => ({ keyId, publicKey }));
}

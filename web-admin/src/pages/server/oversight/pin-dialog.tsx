import { Button, Modal, NativeSelect } from '@mantine/core';
import { useState } from 'react';

import { useChange } from '../../../api/use-change.js';
import { useHold } from '../../../live/live-context.js';
import { useSubmit } from '../../../ui/dialog/use-submit.js';
import { UserErrors } from '../../../ui/dialog/user-errors.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import dialogStyles from '../../../ui/dialog/dialog.module.css';
import { setPinMutation } from '../../watches/watches-query.js';
import type { OversightData } from './oversight-query.js';
import styles from './oversight.module.css';

interface PinDialogProps {
  name: string;
  /** What is pinned. */
  keys: OversightData['keys'];
  opened: boolean;
  onClose: () => void;
}

/** Pins what the server lists today. */
export function PinDialog({ opened, ...form }: PinDialogProps) {
  useHold(opened);
  return (
    <Modal opened={opened} onClose={form.onClose} title={`Pin the keys of ${form.name}`}>
      <PinForm {...form} />
    </Modal>
  );
}

const MODES = [
  { value: 'REFUSE', label: 'is not served, and raises an alarm' },
  { value: 'REPORT', label: 'is served, and raises an alarm' },
];

function PinForm({ name, keys, onClose }: Omit<PinDialogProps, 'opened'>) {
  const { mutateAsync } = useChange(setPinMutation);
  // Held as they are when the dialog opens: what is confirmed is what was read.
  const [pinned] = useState(keys);
  const [mode, setMode] = useState<'REFUSE' | 'REPORT'>('REFUSE');
  const { isBusy, errors, onSubmit } = useSubmit(async () => {
    const named = pinned.map(({ keyId, publicKey }) => ({ keyId, publicKey }));
    const { userErrors } = (await mutateAsync({ input: { serverName: name, keys: named, mode } })).setPin;
    if (userErrors.length === 0) onClose();
    return userErrors;
  });
  return (
    <form className={dialogStyles.body} onSubmit={onSubmit}>
      <p className={dialogStyles.words}>
        The server may list these keys and no others, until the pin is set anew or removed. Compare them with
        what its operator says.
      </p>
      <ul className={styles.keys}>
        {pinned.map(({ keyId, publicKey }) => (
          <li key={keyId}>
            <UntrustedText text={`${keyId} ${publicKey}`} mono />
          </li>
        ))}
      </ul>
      <NativeSelect
        label="A record with other keys"
        data={MODES}
        value={mode}
        onChange={(event) => setMode(event.currentTarget.value === 'REPORT' ? 'REPORT' : 'REFUSE')}
      />
      <UserErrors errors={errors} />
      <div className={dialogStyles.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={isBusy}>
          Pin
        </Button>
      </div>
    </form>
  );
}

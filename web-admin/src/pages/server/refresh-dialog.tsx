import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';

import { useHold } from '../../live/live-context.js';
import { useSubmit } from '../../ui/dialog/use-submit.js';
import { useRefreshKeys } from '../keys/refresh-keys.js';
import styles from '../../ui/dialog/dialog.module.css';

interface RefreshDialogProps {
  name: string;
  opened: boolean;
  onClose: () => void;
}

/** Refresh with the minimum "valid until" a peer would ask for; empty = any record will do. */
export function RefreshDialog({ name, opened, onClose }: RefreshDialogProps) {
  useHold(opened);
  return (
    <Modal opened={opened} onClose={onClose} title="Refresh keys">
      <RefreshForm name={name} onClose={onClose} />
    </Modal>
  );
}

function RefreshForm({ name, onClose }: { name: string; onClose: () => void }) {
  const refresh = useRefreshKeys();
  const [until, setUntil] = useState('');
  const { isBusy, onSubmit } = useSubmit(async () => {
    // The field is read as UTC, as every exact time on these pages.
    await refresh([name], until === '' ? undefined : Date.parse(`${until}Z`));
    onClose();
    return [];
  });
  return (
    <form className={styles.body} onSubmit={onSubmit}>
      <p className={styles.words}>
        Asks the server now and stores what it publishes. Stored records stay if it fails.
      </p>
      <TextInput
        type="datetime-local"
        label="Must be valid until (UTC)"
        description="As minimum_valid_until_ts of a query. Leave empty for any."
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
      />
      <div className={styles.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={isBusy}>
          Refresh
        </Button>
      </div>
    </form>
  );
}

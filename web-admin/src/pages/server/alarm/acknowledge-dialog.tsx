import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';

import { useChange } from '../../../api/use-change.js';
import { useHold } from '../../../live/live-context.js';
import dialogStyles from '../../../ui/dialog/dialog.module.css';
import { useSubmit } from '../../../ui/dialog/use-submit.js';
import { UserErrors } from '../../../ui/dialog/user-errors.js';
import { acknowledgeMutation } from '../server-query.js';

interface AcknowledgeDialogProps {
  serverName: string;
  /** The newest event in view; what came later stays an alarm. */
  throughId: string;
  opened: boolean;
  onClose: () => void;
}

/** Asks for the words that stand in the audit table. */
export function AcknowledgeDialog({ opened, onClose, ...alarm }: AcknowledgeDialogProps) {
  useHold(opened);
  return (
    <Modal opened={opened} onClose={onClose} title="Acknowledge the alarm">
      <AcknowledgeForm {...alarm} onClose={onClose} />
    </Modal>
  );
}

function AcknowledgeForm({ serverName, throughId, onClose }: Omit<AcknowledgeDialogProps, 'opened'>) {
  const { mutateAsync } = useChange(acknowledgeMutation);
  const [words, setWords] = useState('');
  const { isBusy, errors, onSubmit } = useSubmit(async () => {
    const { acknowledgeKeyAlarm } = await mutateAsync({ serverName, throughId, reason: words });
    if (acknowledgeKeyAlarm.userErrors.length === 0) onClose();
    return acknowledgeKeyAlarm.userErrors;
  });
  return (
    <form className={dialogStyles.body} onSubmit={onSubmit}>
      <p className={dialogStyles.words}>
        Ends the alarm of this server. Your name, the time and this reason are recorded in Audit; no key
        changes.
      </p>
      <TextInput
        label="Reason"
        placeholder="Asked their operator: reinstalled without a backup"
        required
        maxLength={500}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      <UserErrors errors={errors} />
      <div className={dialogStyles.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={isBusy}>
          Acknowledge
        </Button>
      </div>
    </form>
  );
}

import { Alert, Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';

import { useChange } from '../../api/use-change.js';
import { useCan } from '../../session/viewer-context.js';
import { Dialog, DialogForm } from '../../ui/dialog/dialog.js';
import { RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { acknowledgeMutation, type ServerData } from './server-query.js';

/** Replaced keys, until an operator acknowledges them. */
export function AlarmBanner({ server: { name, alarms } }: { server: ServerData }) {
  const can = useCan();
  const [isOpen, setOpen] = useState(false);
  const [newest] = alarms;
  if (newest === undefined) return null;
  const isReplaced = alarms.some(({ kind }) => kind === 'KEY_REPLACED');
  return (
    <section aria-label="Alarm">
      <Alert
        color="bad"
        role="group"
        title={isReplaced ? 'A key changed under the same ID' : 'The keys of this server need attention'}
      >
        <ul>
          {alarms.map(({ id, at, message }) => (
            <li key={id}>
              <UntrustedText text={message} /> Seen <RelativeTime at={at} />.
            </li>
          ))}
        </ul>
        {isReplaced &&
          'Legitimate rotations use a new key ID. Ask this server’s operator whether the change was intended; events signed with the old key can no longer be verified.'}
        {can('acknowledgeKeyAlarm') && (
          <Group mt="xs">
            <Button variant="filled" onClick={() => setOpen(true)}>
              Acknowledge…
            </Button>
          </Group>
        )}
        <AcknowledgeDialog
          serverName={name}
          throughId={newest.id}
          opened={isOpen}
          onClose={() => setOpen(false)}
        />
      </Alert>
    </section>
  );
}

interface AcknowledgeDialogProps {
  serverName: string;
  /** The newest event in view; what came later stays an alarm. */
  throughId: string;
  opened: boolean;
  onClose: () => void;
}

/** Asks for the reason, which stands in Audit and on the timeline. */
export function AcknowledgeDialog({ opened, onClose, ...alarm }: AcknowledgeDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Acknowledge the alarm">
      <AcknowledgeForm {...alarm} onClose={onClose} />
    </Dialog>
  );
}

function AcknowledgeForm({ serverName, throughId, onClose }: Omit<AcknowledgeDialogProps, 'opened'>) {
  const { mutateAsync } = useChange(acknowledgeMutation);
  const [words, setWords] = useState('');
  return (
    <DialogForm
      verb="Acknowledge"
      onClose={onClose}
      onRun={async () =>
        (await mutateAsync({ serverName, throughId, reason: words })).acknowledgeKeyAlarm.userErrors
      }
    >
      <p>Ends the alarm of this server. Your name, the time and this reason are recorded; no key changes.</p>
      <TextInput
        label="Reason"
        placeholder="Asked their operator: reinstalled without a backup"
        required
        maxLength={500}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
    </DialogForm>
  );
}

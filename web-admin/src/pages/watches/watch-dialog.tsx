import { Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';

import { useChange } from '../../api/use-change.js';
import { useHold } from '../../live/live-context.js';
import { useSubmit } from '../../ui/dialog/use-submit.js';
import { UserErrors } from '../../ui/dialog/user-errors.js';
import styles from '../../ui/dialog/dialog.module.css';
import { setWatchMutation, type WebhookData } from './watches-query.js';

interface WatchDialogProps {
  /** `null`: it is asked for. */
  name: string | null;
  webhooks: readonly WebhookData[];
  opened: boolean;
  onClose: () => void;
}

/** Has a webhook told of a server's key events. */
export function WatchDialog({ opened, ...form }: WatchDialogProps) {
  useHold(opened);
  return (
    <Modal
      opened={opened}
      onClose={form.onClose}
      title={form.name === null ? 'Add a watch' : `Watch ${form.name}`}
    >
      <WatchForm {...form} />
    </Modal>
  );
}

function WatchForm({ name, webhooks, onClose }: Omit<WatchDialogProps, 'opened'>) {
  const { mutateAsync } = useChange(setWatchMutation);
  const [entered, setEntered] = useState('');
  const [webhook, setWebhook] = useState(webhooks[0]?.name ?? '');
  const { isBusy, errors, onSubmit } = useSubmit(async () => {
    const serverName = name ?? entered.trim();
    const { userErrors } = (await mutateAsync({ input: { serverName, webhook } })).setWatch;
    if (userErrors.length === 0) onClose();
    return userErrors;
  });
  return (
    <form className={styles.body} onSubmit={onSubmit}>
      <p className={styles.words}>
        Each event of its keys is sent, in order, until the receiver has taken it.
      </p>
      {name === null && <ServerField entered={entered} onChange={setEntered} />}
      <NativeSelect
        label="Webhook"
        data={webhooks.map((hook) => ({ value: hook.name, label: `${hook.name} (${hook.host})` }))}
        value={webhook}
        onChange={(event) => setWebhook(event.currentTarget.value)}
      />
      <UserErrors errors={errors} />
      <div className={styles.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={isBusy}>
          Watch
        </Button>
      </div>
    </form>
  );
}

function ServerField({ entered, onChange }: { entered: string; onChange: (entered: string) => void }) {
  return (
    <TextInput
      label="Server name"
      description="* for all servers"
      required
      value={entered}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

import { Button, Modal } from '@mantine/core';
import { useState } from 'react';

import { useHold } from '../../../live/live-context.js';
import { Snippet } from '../../../ui/text/snippet.js';
import { TokenForm } from './token-form.js';
import styles from '../access.module.css';

/** Makes an API token; the secret is shown once. */
export function TokenDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  useHold(opened);
  return (
    <Modal opened={opened} onClose={onClose} title="New API token" size="lg">
      {opened && <Steps onClose={onClose} />}
    </Modal>
  );
}

function Steps({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  if (secret === null) return <TokenForm onMade={setSecret} onClose={onClose} />;
  return (
    <div className={styles.form}>
      <p role="status">
        This is the only time the token is shown. Store it where you keep passwords, then close this window.
      </p>
      <Snippet text={secret} what="API token" />
      <div className={styles.buttons}>
        <Button variant="filled" onClick={onClose}>
          I have stored it
        </Button>
      </div>
    </div>
  );
}

import { Button } from '@mantine/core';
import { useState } from 'react';

import { useCan } from '../../../session/viewer-context.js';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.js';
import { useForgetPreviews } from '../use-forget-previews.js';
import styles from '../previews.module.css';

/** Forgets what failed at once; asks before everything goes. */
export function ForgetMany({ total }: { total: number }) {
  const can = useCan();
  const forget = useForgetPreviews();
  const [isAsking, setAsking] = useState(false);
  if (!can('forgetMemoryPreviews') || total === 0) return null;
  return (
    <span className={styles.forget}>
      <Button onClick={() => void forget('failed')}>Forget failed</Button>
      <Button onClick={() => setAsking(true)}>Forget all…</Button>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        verb="Forget"
        thing="everything in memory"
        count={0}
        onConfirm={async () => {
          await forget('all');
          return [];
        }}
      >
        <p>
          The memory cache of this instance is emptied. Stored previews stay and answer the next client; what
          failed is tried again.
        </p>
      </ConfirmDialog>
    </span>
  );
}

import { Button } from '@mantine/core';
import { useState } from 'react';

import { useBackend } from '../../../api/backend-context.js';
import { send } from '../../../api/send.js';
import { useCan } from '../../../session/viewer-context.js';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.js';
import { useAttempt } from '../../../ui/dialog/use-attempt.js';
import { useTell } from '../../../ui/dialog/use-tell.js';
import { WhatGoes } from '../../../ui/dialog/what-goes.js';
import { counted } from '../../../ui/text/counted.js';
import { memoryToForgetQuery } from '../previews-query.js';
import { useForgetPreviews } from '../use-forget-previews.js';
import styles from '../previews.module.css';

interface Pending {
  which: 'failed' | 'all';
  /** Addresses of the first five. */
  first: readonly string[];
  count: number;
}

const NOTHING: Pending = { which: 'all', first: [], count: 0 };

/** Forgets what failed, or everything, on all instances: counts it first, then asks. */
export function ForgetMany({ total }: { total: number }) {
  const can = useCan();
  const count = useCounting();
  const [pending, setPending] = useState(NOTHING);
  const [isOpen, setOpen] = useState(false);
  if (!can('forgetMemoryPreviews') || total === 0) return null;
  const ask = async (which: Pending['which']) => {
    const found = await count(which);
    if (found === null) return;
    setPending(found);
    setOpen(true);
  };
  return (
    <span className={styles.forget}>
      <Button onClick={() => void ask('failed')}>Forget failed…</Button>
      <Button onClick={() => void ask('all')}>Forget all…</Button>
      <ForgetDialog pending={pending} opened={isOpen} onClose={() => setOpen(false)} />
    </span>
  );
}

interface ForgetDialogProps {
  pending: Pending;
  opened: boolean;
  onClose: () => void;
}

function ForgetDialog({ pending, opened, onClose }: ForgetDialogProps) {
  const forget = useForgetPreviews();
  const number = counted(pending.count, 'preview');
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      verb="Forget"
      thing={pending.which === 'all' ? `all ${number} in memory` : `${number} that failed`}
      count={pending.count}
      onConfirm={async () => {
        await forget(pending.which);
        return [];
      }}
    >
      <WhatGoes
        filter={pending.which === 'all' ? null : ['failed']}
        first={pending.first}
        count={pending.count}
      />
      <p>
        They go out of the memory of all instances, whatever this list is filtered by. Stored previews stay
        and answer the next client; what failed is tried again.
      </p>
    </ConfirmDialog>
  );
}

/** What is in memory now; null when that is nothing, or could not be read, which is told. */
function useCounting(): (which: Pending['which']) => Promise<Pending | null> {
  const { basePath } = useBackend();
  const attempt = useAttempt();
  const tell = useTell();
  return async (which) => {
    const variables = { filter: { state: which === 'failed' ? ('FAILED' as const) : null } };
    const found = await attempt(async () => ({
      userErrors: [],
      ...(await send(basePath, memoryToForgetQuery, { variables })),
    }));
    if (found === null) return null;
    const { nodes, totalCount } = found.memoryPreviews;
    if (totalCount === 0) {
      tell(which === 'failed' ? 'Nothing in memory has failed' : 'Nothing is in memory');
      return null;
    }
    return { count: totalCount, which, first: [...new Set(nodes.map(({ url }) => url))] };
  };
}

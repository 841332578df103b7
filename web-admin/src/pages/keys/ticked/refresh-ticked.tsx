import { useState, type ReactNode } from 'react';

import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.js';
import { useAttempt } from '../../../ui/dialog/use-attempt.js';
import { WhatGoes } from '../../../ui/dialog/what-goes.js';
import { counted } from '../../../ui/text/counted.js';
import { useRefreshKeys } from '../refresh-keys.js';
import { useTickedServers } from './ticked-servers.js';

interface RefreshTicked {
  ask: (serverIds: readonly string[]) => void;
  /** Put it on the page. */
  dialog: ReactNode;
}

const SHOWN = 5;

/** Fetching the keys of ticked servers. `onDone` is called when all have answered, or have not. */
export function useRefreshTicked(onDone: () => void): RefreshTicked {
  const [names, setNames] = useState<readonly string[]>([]);
  const [isOpen, setOpen] = useState(false);
  const read = useTickedServers();
  const attempt = useAttempt();
  const refresh = useRefreshKeys();
  const ask = async (serverIds: readonly string[]) => {
    const found = await attempt(async () => ({
      userErrors: [],
      servers: await read(serverIds, { withRecords: false }),
    }));
    if (found === null) return;
    setNames(found.servers.map(({ name }) => name));
    setOpen(true);
  };
  const confirm = async () => {
    await refresh(names);
    onDone();
    return [];
  };
  const dialog = (
    <ConfirmDialog
      opened={isOpen}
      onClose={() => setOpen(false)}
      verb="Refresh"
      thing={`the keys of ${counted(names.length, 'server')}`}
      count={names.length}
      onConfirm={confirm}
      danger={false}
    >
      <WhatGoes filter={null} first={names.slice(0, SHOWN)} count={names.length} />
      <p>One server after the other is asked now, whatever its back-off. What is stored stays until then.</p>
    </ConfirmDialog>
  );
  return { ask: (serverIds) => void ask(serverIds), dialog };
}

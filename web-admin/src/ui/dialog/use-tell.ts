import { notifications } from '@mantine/notifications';
import { useCallback } from 'react';

import { useAnnounce } from '../../live/announcer.js';

/** Tells the outcome of an action: a short notice for the eye, the live region for the ear. */
export function useTell(): (message: string, options?: { failed?: boolean }) => void {
  const announce = useAnnounce();
  return useCallback(
    (message: string, { failed = false }: { failed?: boolean } = {}) => {
      announce(message);
      notifications.show({
        message,
        color: failed ? 'seal' : 'ink',
        autoClose: failed ? 10_000 : 5_000,
        closeButtonProps: { 'aria-label': 'Close this notice' },
      });
    },
    [announce],
  );
}

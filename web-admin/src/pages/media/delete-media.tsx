import type { ReactNode } from 'react';

import { useChange } from '../../api/use-change.js';
import type { MediaFilter } from '../../gql/graphql.js';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.js';
import { useDeletion } from '../../ui/dialog/use-deletion.js';
import { counted } from '../../ui/text/counted.js';
import { deleteMediaMutation } from './media-query.js';

interface DeleteMedia {
  ask: (ids: readonly string[]) => void;
  /** Counts first, then asks. */
  askAll: () => void;
  /** Put it on the page. */
  dialog: ReactNode;
}

/** Deleting media by id, or all that match `filter`. `onDone` is called when they are gone. */
export function useDeleteMedia(filter: MediaFilter, onDone: () => void): DeleteMedia {
  const { mutateAsync } = useChange(deleteMediaMutation);
  const deletion = useDeletion(
    async ({ ids, expectedCount, dryRun }) => {
      const chosen = ids === null ? { filter, expectedCount } : { ids: [...ids] };
      return (await mutateAsync({ input: { ...chosen, dryRun } })).deleteMedia;
    },
    { noun: 'media item', onDone },
  );
  const { count, ids } = deletion.pendingDeletion;
  const number = counted(count, 'media item');
  const dialog = (
    <ConfirmDialog
      opened={deletion.isOpen}
      onClose={deletion.close}
      verb="Delete"
      thing={ids === null ? `all ${number} that match` : number}
      count={count}
      onConfirm={deletion.confirm}
    >
      <p>Files and thumbnails go from disk for good. Messages that show such an image lose it.</p>
      <p>
        Previews that use them are forgotten and made anew when a client asks. Keys and blocking rules stay.
      </p>
    </ConfirmDialog>
  );
  return { ask: deletion.ask, askAll: deletion.askAll, dialog };
}

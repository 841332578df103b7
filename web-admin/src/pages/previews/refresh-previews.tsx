import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';

import { useChange } from '../../api/use-change.js';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.js';
import { counted } from '../../ui/text/counted.js';
import { runHref } from '../jobs/use-run-job.js';
import { Subjects } from './delete-previews.js';
import { refreshPreviewsMutation } from './previews-query.js';

interface RefreshPreviews {
  ask: (ids: readonly string[]) => void;
  /** Put it on the page. */
  dialog: ReactNode;
}

/** Having ticked previews made anew. `onDone` is called when that has begun; the page of the run follows. */
export function useRefreshTicked(onDone: () => void): RefreshPreviews {
  const [ids, setIds] = useState<readonly string[]>([]);
  const [isOpen, setOpen] = useState(false);
  const [, navigate] = useLocation();
  const { mutateAsync } = useChange(refreshPreviewsMutation);
  const confirm = async () => {
    const { userErrors, run } = (await mutateAsync({ ids: [...ids] })).refreshPreviews;
    if (userErrors.length > 0) return userErrors;
    onDone();
    if (run !== null) navigate(runHref(run.id));
    return [];
  };
  const count = ids.length;
  const dialog = (
    <ConfirmDialog
      opened={isOpen}
      onClose={() => setOpen(false)}
      verb="Refresh"
      thing={counted(count, 'preview')}
      count={count}
      onConfirm={confirm}
      danger={false}
    >
      <Subjects ids={ids} filter={{}} words={[]} count={count} />
      <p>
        {count === 1 ? 'Its page is' : 'Their pages are'} fetched in the background. What comes of it replaces
        what is stored; a page that fails leaves its preview as it is.
      </p>
    </ConfirmDialog>
  );
  const ask = (next: readonly string[]) => {
    setIds(next);
    setOpen(true);
  };
  return { ask, dialog };
}

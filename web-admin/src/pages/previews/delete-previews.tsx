import { Checkbox } from '@mantine/core';
import { useState, type ReactNode } from 'react';

import { useChange } from '../../api/use-change.js';
import { useQuery } from '../../api/use-query.js';
import type { PreviewFilter } from '../../gql/graphql.js';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.js';
import { useDeletion, type PendingDeletion } from '../../ui/dialog/use-deletion.js';
import { WhatGoes } from '../../ui/dialog/what-goes.js';
import { counted } from '../../ui/text/counted.js';
import { deletePreviewsMutation, previewsToDeleteQuery } from './previews-query.js';

interface DeletePreviews {
  ask: (ids: readonly string[]) => void;
  /** Counts first, then asks. */
  askAll: () => void;
  /** Put it on the page. */
  dialog: ReactNode;
}

/** All that a filter lets through, and how that is told. */
export interface FilteredPreviews {
  filter: PreviewFilter;
  words: readonly string[];
}

/** Deleting stored previews by id, or all that match a filter. `onDone` is called when they are gone. */
export function useDeletePreviews({ filter, words }: FilteredPreviews, onDone: () => void): DeletePreviews {
  const { mutateAsync } = useChange(deletePreviewsMutation);
  const [withMedia, setWithMedia] = useState(true);
  const deletion = useDeletion(
    async ({ ids, expectedCount, dryRun }) => {
      const chosen = ids === null ? { filter, expectedCount } : { ids: [...ids] };
      return (await mutateAsync({ ...chosen, dryRun, withMedia })).deletePreviews;
    },
    { noun: 'preview', onDone },
  );
  const { count, ids } = deletion.pendingDeletion;
  const number = counted(count, 'preview');
  const dialog = (
    <ConfirmDialog
      opened={deletion.isOpen}
      onClose={deletion.close}
      verb="Delete"
      thing={ids === null ? `all ${number} that match` : number}
      count={count}
      onConfirm={deletion.confirm}
    >
      <Subjects ids={ids} filter={filter} words={words} count={count} />
      <p>
        {count === 1 ? 'It goes' : 'They go'} out of the store and out of memory. The next client that asks
        makes {count === 1 ? 'it' : 'them'} anew. What clients show already stays until they reload.
      </p>
      <Checkbox
        label="Stored pages and images too"
        description="Messages that carry such an image lose it. What other previews use stays."
        checked={withMedia}
        onChange={(event) => setWithMedia(event.currentTarget.checked)}
      />
    </ConfirmDialog>
  );
  return { ask: deletion.ask, askAll: deletion.askAll, dialog };
}

const SHOWN = 5;

/** The first of them by their addresses. */
export function Subjects({ ids, count, filter, words }: PendingDeletion & FilteredPreviews) {
  const variables = { ids: ids?.slice(0, SHOWN) ?? [], byFilter: ids === null, filter };
  const { data } = useQuery(previewsToDeleteQuery, variables);
  const found = data?.nodes ?? data?.previews?.nodes;
  const first = found?.flatMap((node) => (node !== null && 'url' in node ? [node.url] : []));
  return <WhatGoes filter={ids === null ? words : null} first={first} count={count} />;
}

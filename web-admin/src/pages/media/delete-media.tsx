import type { ReactNode } from 'react';

import { useChange } from '../../api/use-change.js';
import { useQuery } from '../../api/use-query.js';
import type { MediaFilter } from '../../gql/graphql.js';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.js';
import { useDeletion, type PendingDeletion } from '../../ui/dialog/use-deletion.js';
import { WhatGoes } from '../../ui/dialog/what-goes.js';
import { counted } from '../../ui/text/counted.js';
import { deleteMediaMutation, mediaToDeleteQuery } from './media-query.js';

interface DeleteMedia {
  ask: (ids: readonly string[]) => void;
  /** Counts first, then asks. */
  askAll: () => void;
  /** Put it on the page. */
  dialog: ReactNode;
}

/** All that a filter lets through, and how that is told. */
export interface FilteredMedia {
  filter: MediaFilter;
  words: readonly string[];
}

/** Deleting media by id, or all that match a filter. `onDone` is called when they are gone. */
export function useDeleteMedia({ filter, words }: FilteredMedia, onDone: () => void): DeleteMedia {
  const { mutateAsync } = useChange(deleteMediaMutation);
  const deletion = useDeletion(
    async ({ ids, expectedCount, dryRun }) => {
      const chosen = ids === null ? { filter, expectedCount } : { ids: [...ids] };
      return (await mutateAsync({ ...chosen, dryRun })).deleteMedia;
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
      <Subjects ids={ids} filter={filter} words={words} count={count} />
      <p>Files and thumbnails go from disk for good. Messages that show such an image lose it.</p>
      <p>
        Previews that use them are forgotten and made anew when a client asks. Keys and blocking rules stay.
      </p>
    </ConfirmDialog>
  );
  return { ask: deletion.ask, askAll: deletion.askAll, dialog };
}

const SHOWN = 5;

function Subjects({ ids, count, filter, words }: PendingDeletion & FilteredMedia) {
  const variables = { ids: ids?.slice(0, SHOWN) ?? [], byFilter: ids === null, filter };
  const { data } = useQuery(mediaToDeleteQuery, variables);
  const found = data?.nodes ?? data?.media?.nodes;
  const first = found?.flatMap((node) =>
    node !== null && 'mediaId' in node ? [node.sourceUrl ?? node.mediaId] : [],
  );
  return <WhatGoes filter={ids === null ? words : null} first={first} count={count} />;
}

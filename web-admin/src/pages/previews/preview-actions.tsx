import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { useChange } from '../../api/use-change.js';
import type { PreviewFilter } from '../../gql/graphql.js';
import { useCan } from '../../session/viewer-context.js';
import { useDeletion, type Deletion } from '../../ui/dialog/deletion.js';
import { useAttempt, useTell } from '../../ui/dialog/use-tell.js';
import { counted } from '../../ui/text/number-words.js';
import { runHref } from '../hrefs.js';
import {
  deletePreviewsMutation,
  forgetPreviewsMutation,
  previewsToDeleteQuery,
  refreshPreviewsMutation,
} from './previews-query.js';

/** All that a filter lets through, and the same in words. */
interface FilteredPreviews {
  filter: PreviewFilter;
  words: readonly string[];
}

/** Deleting stored previews by id, or all that match a filter. */
export function useDeletePreviews({ filter, words }: FilteredPreviews): Deletion {
  const { mutateAsync } = useChange(deletePreviewsMutation);
  const [withMedia, setWithMedia] = useState(true);
  return useDeletion({
    send: async (request) => (await mutateAsync({ ...request, withMedia })).deletePreviews,
    noun: 'preview',
    filter,
    words,
    names: previewsToDeleteQuery,
    namesOf: ({ previews }) => previews.nodes.map(({ url }) => url),
    children: (
      <>
        <p>
          Deletes stored and in-memory copies. The next request creates a new preview; clients keep what they
          show until reload.
        </p>
        <Checkbox
          label="Stored pages and images too"
          description="Messages lose these images. Media that other previews use is kept."
          checked={withMedia}
          onChange={(event) => setWithMedia(event.currentTarget.checked)}
        />
      </>
    ),
  });
}

/** Makes previews anew in the background and goes to the run. */
export function useRefreshPreviews(): (ids: readonly string[]) => void {
  const { mutateAsync } = useChange(refreshPreviewsMutation);
  const attempt = useAttempt();
  const [, navigate] = useLocation();
  const refresh = async (ids: readonly string[]) => {
    const payload = await attempt(async () => (await mutateAsync({ ids: [...ids] })).refreshPreviews);
    if (payload?.run) navigate(runHref(payload.run.id));
  };
  return (ids) => void refresh(ids);
}

/** Clears failed previews from the memory of all instances, so that the next client tries again. */
export function ClearFailures() {
  const can = useCan();
  const { mutateAsync } = useChange(forgetPreviewsMutation);
  const attempt = useAttempt();
  const tell = useTell();
  if (!can('forgetMemoryPreviews')) return null;
  const clear = async () => {
    const payload = await attempt(async () => (await mutateAsync({ failedOnly: true })).forgetMemoryPreviews);
    if (payload?.userErrors.length === 0)
      tell(`Cleared ${counted(payload.matched, 'failed preview')}; clients that reload try again`);
  };
  return <Button onClick={() => void clear()}>Clear failures</Button>;
}

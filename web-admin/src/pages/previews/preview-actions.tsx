import { Button, Checkbox, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { useChange } from '../../api/use-change.js';
import type { PreviewFilter } from '../../gql/graphql.js';
import { useCan } from '../../session/viewer-context.js';
import { useDeletion, type Deletion } from '../../ui/dialog/deletion.js';
import { useAttempt, useTell } from '../../ui/dialog/use-tell.js';
import { counted } from '../../ui/text/number-words.js';
import { RUN_REQUEST, tryHref } from '../hrefs.js';
import {
  deletePreviewsMutation,
  forgetPreviewsMutation,
  previewsToDeleteQuery,
  refreshPreviewsMutation,
  type PreviewsToDelete,
} from './previews-query.js';

function urlsOf({ nodes, previews }: PreviewsToDelete): string[] | undefined {
  return (nodes ?? previews?.nodes)?.flatMap((node) => (node !== null && 'url' in node ? [node.url] : []));
}

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
    send: async ({ ids, expectedCount, dryRun }) => {
      const chosen = ids === null ? { filter, expectedCount } : { ids: [...ids] };
      return (await mutateAsync({ ...chosen, dryRun, withMedia })).deletePreviews;
    },
    noun: 'preview',
    filter,
    words,
    names: previewsToDeleteQuery,
    namesOf: urlsOf,
    children: (
      <>
        <p>
          Deletes stored and in-memory copies. The next request creates a new preview; clients keep what they
          show until reload.
        </p>
        <Checkbox
          label="Stored pages and images too"
          description="Messages with such an image lose it. Media that other previews use stays."
          checked={withMedia}
          onChange={(event) => setWithMedia(event.currentTarget.checked)}
        />
      </>
    ),
  });
}

/** Starts making previews anew; resolves to the id of the run, or null when it was refused, which is shown. */
export function useRefreshPreviews(): (ids: readonly string[]) => Promise<string | null> {
  const { mutateAsync } = useChange(refreshPreviewsMutation);
  const attempt = useAttempt();
  return async (ids) => {
    const payload = await attempt(async () => (await mutateAsync({ ids: [...ids] })).refreshPreviews);
    return payload?.run?.id ?? null;
  };
}

/** Clears failed previews from the memory of all instances, so that the next client tries again. */
export function ForgetFailed() {
  const can = useCan();
  const { mutateAsync } = useChange(forgetPreviewsMutation);
  const attempt = useAttempt();
  const tell = useTell();
  if (!can('forgetMemoryPreviews')) return null;
  const forget = async () => {
    const payload = await attempt(async () => (await mutateAsync({ failedOnly: true })).forgetMemoryPreviews);
    if (payload?.userErrors.length === 0)
      tell(
        `Cleared ${counted(payload.matched, 'failed preview')} from memory; clients see it after a reload`,
      );
  };
  return <Button onClick={() => void forget()}>Retry failed ones</Button>;
}

/** A small box that tries an address at once; for empty lists. Draws nothing for those who may not. */
export function TryBox() {
  const [url, setUrl] = useState('');
  const [, navigate] = useLocation();
  const can = useCan();
  if (!can('tryPreview')) return null;
  return (
    <Group
      component="form"
      justify="center"
      mt="sm"
      onSubmit={(event) => {
        event.preventDefault();
        if (url.trim() !== '') navigate(tryHref(url.trim()), { state: RUN_REQUEST });
      }}
    >
      <TextInput
        aria-label="URL to try"
        placeholder="https://example.org/article"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        maxLength={8192}
        spellCheck={false}
      />
      <Button type="submit">Try</Button>
    </Group>
  );
}

import { Button, Checkbox, Group, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';

import { useChange } from '../../api/use-change.js';
import type { PreviewFilter } from '../../gql/graphql.js';
import { useCan } from '../../session/viewer-context.js';
import { Subjects, useDeletion, type Deletion } from '../../ui/dialog/deletion.js';
import { ConfirmDialog } from '../../ui/dialog/dialog.js';
import { useAttempt, useTell } from '../../ui/dialog/use-tell.js';
import type { Tone } from '../../ui/state.js';
import { counted } from '../../ui/text/number-words.js';
import { RUN_REQUEST, runHref, tryHref } from '../hrefs.js';
import {
  deletePreviewsMutation,
  forgetPreviewsMutation,
  previewsToDeleteQuery,
  refreshPreviewsMutation,
  type PreviewsToDelete,
} from './previews-query.js';

/** How an entry of the memory cache stands. */
export const MEMORY_STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  READY: ['ok', 'ready'],
  RUNNING: ['busy', 'in progress'],
  FAILED: ['bad', 'failed'],
};

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

interface RefreshTicked {
  ask: (ids: readonly string[], onDone: () => void) => void;
  /** Put it on the page. */
  dialog: ReactNode;
}

/** Making ticked previews anew after a dialog that names them; the page of the run follows. */
export function useRefreshTicked(): RefreshTicked {
  const [{ ids, onDone }, setPending] = useState({ ids: [] as readonly string[], onDone: () => {} });
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
      <Subjects {...{ ids, count, filter: {}, words: [], names: previewsToDeleteQuery, namesOf: urlsOf }} />
      <p>
        Pages are fetched in the background. Each result replaces the stored preview; if a page fails, its
        preview stays.
      </p>
    </ConfirmDialog>
  );
  const ask: RefreshTicked['ask'] = (next, done) => {
    setPending({ ids: next, onDone: done });
    setOpen(true);
  };
  return { ask, dialog };
}

/** Forgets entries of the memory cache, some by id, those that failed, or all, and tells how many. */
export function useForgetPreviews(): (which: readonly string[] | 'failed' | 'all') => Promise<void> {
  const { mutateAsync } = useChange(forgetPreviewsMutation);
  const attempt = useAttempt();
  const tell = useTell();
  return async (which) => {
    const input = { ids: typeof which === 'string' ? null : [...which], failedOnly: which === 'failed' };
    const payload = await attempt(async () => (await mutateAsync(input)).forgetMemoryPreviews);
    if (payload?.userErrors.length === 0)
      tell(`Forgot ${counted(payload.matched, 'preview')}; clients that reload ask anew`);
  };
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

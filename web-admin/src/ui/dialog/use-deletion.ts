import { useState } from 'react';
import { useLocation } from 'wouter';

import { byteWords } from '../text/bytes.js';
import { counted } from '../text/counted.js';
import { useAttempt } from './use-attempt.js';
import { useTell } from './use-tell.js';
import type { UserErrorLine } from './user-errors.js';

/** The part of a DeletePayload that is needed. */
export interface DeletionAnswer {
  userErrors: readonly UserErrorLine[];
  matched: number;
  deletedIds: readonly string[];
  freedBytes: number;
  run: { id: string } | null;
}

/** What to send: ids, or null for all that match the filter in view. */
export interface DeletionRequest {
  ids: readonly string[] | null;
  /** What the dry run counted; null with ids. */
  expectedCount: number | null;
  dryRun: boolean;
}

/** What is to go away, once it has been counted. */
export interface PendingDeletion {
  ids: readonly string[] | null;
  count: number;
}

interface Deletion {
  isOpen: boolean;
  pendingDeletion: PendingDeletion;
  ask: (ids: readonly string[]) => void;
  /** Counts all that match first. */
  askAll: () => void;
  close: () => void;
  /** For ConfirmDialog: deletes; a count that has changed is taken over and must be confirmed anew. */
  confirm: () => Promise<readonly UserErrorLine[]>;
}

const NOTHING: PendingDeletion = { ids: [], count: 0 };

type Send = (request: DeletionRequest) => Promise<DeletionAnswer>;

/**
 * Deleting ticked rows, or all that match with a dry run first. `onDone` is called when the rows are gone; work that
 * goes on in the background leads to the page of its run. `noun` takes an s.
 */
export function useDeletion(send: Send, { noun, onDone }: { noun: string; onDone: () => void }): Deletion {
  const [pendingDeletion, setPendingDeletion] = useState(NOTHING);
  const [isOpen, setOpen] = useState(false);
  const [, navigate] = useLocation();
  const tell = useTell();
  const ask = (next: PendingDeletion) => {
    setPendingDeletion(next);
    setOpen(true);
  };
  const count = useCounting(send, { noun, onCounted: (matched) => ask({ ids: null, count: matched }) });
  const confirm = async () => {
    const expectedCount = pendingDeletion.ids === null ? pendingDeletion.count : null;
    const answer = await send({ ids: pendingDeletion.ids, expectedCount, dryRun: false });
    if (answer.userErrors.some(({ code }) => code === 'COUNT_MISMATCH') && answer.matched > 0) {
      setPendingDeletion({ ids: null, count: answer.matched });
      const now = answer.matched.toLocaleString('en');
      return [{ message: `Meanwhile ${now} match. Nothing was deleted; look at the new number and go on.` }];
    }
    if (answer.userErrors.length > 0) return answer.userErrors;
    onDone();
    if (answer.run !== null) navigate(`/jobs?run=${encodeURIComponent(answer.run.id)}`);
    tell(doneWords(answer, noun));
    return [];
  };
  return {
    isOpen,
    pendingDeletion,
    ask: (ids) => ask({ ids, count: ids.length }),
    askAll: () => void count(),
    close: () => setOpen(false),
    confirm,
  };
}

/** The dry run; tells when nothing matches. */
function useCounting(
  send: Send,
  { noun, onCounted }: { noun: string; onCounted: (matched: number) => void },
) {
  const attempt = useAttempt();
  const tell = useTell();
  return async () => {
    const answer = await attempt(() => send({ ids: null, expectedCount: null, dryRun: true }));
    if (answer === null || answer.userErrors.length > 0) return;
    if (answer.matched === 0) tell(`No ${noun}s match any more`);
    else onCounted(answer.matched);
  };
}

function doneWords({ run, matched, deletedIds, freedBytes }: DeletionAnswer, noun: string): string {
  if (run !== null) return `Deleting ${counted(matched, noun)} in the background`;
  const freed = freedBytes > 0 ? `, ${byteWords(freedBytes)} freed` : '';
  return `Deleted ${counted(deletedIds.length, noun)}${freed}`;
}

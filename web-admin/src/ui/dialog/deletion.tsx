import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { byteWords, counted } from '../text/number-words.js';
import { ConfirmDialog, WhatGoes, type UserErrorLine } from './dialog.js';
import { useAttempt, useTell } from './use-tell.js';

/** The part of a DeletePayload that is needed. */
interface DeletionAnswer {
  userErrors: readonly UserErrorLine[];
  matched: number;
  deletedIds: readonly string[];
  freedBytes: number;
  run: { id: string } | null;
}

/** What to send: ids, or null for all that match the filter in view. */
interface DeletionRequest {
  ids: readonly string[] | null;
  /** What the dry run counted; null with ids. */
  expectedCount: number | null;
  dryRun: boolean;
}

interface Pending {
  ids: readonly string[] | null;
  count: number;
}

const NOTHING: Pending & { onDone?: (() => void) | undefined } = { ids: [], count: 0 };

type NamesVariables<Filter> = { ids: string[]; byFilter: boolean; filter: Filter };

interface DeletionOptions<Names, Filter> {
  send: (request: DeletionRequest) => Promise<DeletionAnswer>;
  /** Takes an s. */
  noun: string;
  /** The filter in view, and the same in words. */
  filter: Filter;
  words: readonly string[];
  /** Finds the first five by id or by filter, and names them. */
  names: TypedDocumentNode<Names, NamesVariables<Filter>>;
  namesOf: (data: Names) => readonly string[] | undefined;
  /** What goes and what stays. */
  children: ReactNode;
}

/** Deleting rows, by id or all that match. */
export interface Deletion {
  /** Null: all that match, which are counted first. `onDone` is called when they are gone. */
  ask: (ids: readonly string[] | null, onDone?: () => void) => void;
  /** Put it on the page. */
  dialog: ReactNode;
}

/**
 * Deletes ticked rows, or all that match after a dry run. A count that has changed meanwhile must be confirmed anew; work
 * that goes on in the background leads to its run.
 */
export function useDeletion<Names, Filter>(options: DeletionOptions<Names, Filter>): Deletion {
  const { send, noun, filter, words, names, namesOf } = options;
  const [pending, setPending] = useState(NOTHING);
  const { ids, count } = pending;
  const [isOpen, setOpen] = useState(false);
  const [, navigate] = useLocation();
  const tell = useTell();
  const attempt = useAttempt();
  const ask = async (chosen: readonly string[] | null, onDone?: () => void) => {
    if (chosen !== null) {
      setPending({ ids: chosen, count: chosen.length, onDone });
      setOpen(true);
      return;
    }
    const answer = await attempt(() => send({ ids: null, expectedCount: null, dryRun: true }));
    if (answer === null || answer.userErrors.length > 0) return;
    setPending({ ids: null, count: answer.matched, onDone });
    if (answer.matched === 0) tell(`No ${noun}s match any more`);
    else setOpen(true);
  };
  const confirm = async () => {
    const answer = await send({ ids, expectedCount: ids === null ? count : null, dryRun: false });
    if (answer.userErrors.some(({ code }) => code === 'COUNT_MISMATCH') && answer.matched > 0) {
      setPending({ ...pending, count: answer.matched });
      return [{ message: `${counted(answer.matched, noun)} match now. Nothing was deleted; confirm again.` }];
    }
    if (answer.userErrors.length > 0) return answer.userErrors;
    pending.onDone?.();
    if (answer.run !== null) navigate(`/jobs?run=${encodeURIComponent(answer.run.id)}`);
    tell(doneWords(answer, noun));
    return [];
  };
  const number = counted(count, noun);
  const dialog = (
    <ConfirmDialog
      opened={isOpen}
      onClose={() => setOpen(false)}
      verb="Delete"
      thing={ids === null ? `all ${number} that match` : number}
      count={count}
      onConfirm={confirm}
    >
      <Subjects {...{ ids, count, filter, words, names, namesOf }} />
      {options.children}
    </ConfirmDialog>
  );
  return { ask: (chosen, onDone) => void ask(chosen, onDone), dialog };
}

const SHOWN = 5;

type SubjectsProps<Names, Filter> = Pending &
  Pick<DeletionOptions<Names, Filter>, 'filter' | 'words' | 'names' | 'namesOf'>;

/** The first of them by their names. */
function Subjects<Names, Filter>(props: SubjectsProps<Names, Filter>) {
  const { ids, count, filter, words, names, namesOf } = props;
  const { data } = useQuery(names, { ids: ids?.slice(0, SHOWN) ?? [], byFilter: ids === null, filter });
  const first = data === undefined ? undefined : namesOf(data);
  return <WhatGoes filter={ids === null ? words : null} first={first} count={count} />;
}

function doneWords({ run, matched, deletedIds, freedBytes }: DeletionAnswer, noun: string): string {
  if (run !== null) return `Deleting ${counted(matched, noun)} in the background`;
  const freed = freedBytes > 0 ? `, ${byteWords(freedBytes)} freed` : '';
  return `Deleted ${counted(deletedIds.length, noun)}${freed}`;
}

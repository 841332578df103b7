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
  deleted: number;
  freedBytes: number;
  run: { id: string } | null;
}

interface DeletionRequest<Filter> {
  /** The filter in view, or the chosen ids. */
  filter: Filter | { ids: string[] };
  /** Null in a dry run. */
  expectedCount: number | null;
  dryRun: boolean;
}

interface Pending {
  ids: readonly string[] | null;
  count: number;
}

const NOTHING: Pending & { onDone?: (() => void) | undefined } = { ids: [], count: 0 };

type NamesVariables<Filter> = { filter: Filter | { ids: string[] } };

interface DeletionOptions<Names, Filter> {
  send: (request: DeletionRequest<Filter>) => Promise<DeletionAnswer>;
  /** Takes an s. */
  noun: string;
  /** The filter in view, and the same in words. */
  filter: Filter;
  words: readonly string[];
  /** Finds the first five, and names them. */
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
    const answer = await attempt(() => send({ filter, expectedCount: null, dryRun: true }));
    if (answer === null || answer.userErrors.length > 0) return;
    setPending({ ids: null, count: answer.matched, onDone });
    if (answer.matched === 0) tell(`No ${noun}s match any more`);
    else setOpen(true);
  };
  const confirm = async () => {
    const answer = await send({ filter: chosenOf(ids, filter), expectedCount: count, dryRun: false });
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

type SubjectsProps<Names, Filter> = Pending &
  Pick<DeletionOptions<Names, Filter>, 'filter' | 'words' | 'names' | 'namesOf'>;

/** The first of them by their names. */
function Subjects<Names, Filter>(props: SubjectsProps<Names, Filter>) {
  const { ids, count, filter, words, names, namesOf } = props;
  const { data } = useQuery(names, { filter: chosenOf(ids, filter) });
  const first = data === undefined ? undefined : namesOf(data);
  return <WhatGoes filter={ids === null ? words : null} first={first} count={count} />;
}

function chosenOf<Filter>(ids: readonly string[] | null, filter: Filter): Filter | { ids: string[] } {
  return ids === null ? filter : { ids: [...ids] };
}

function doneWords({ run, matched, deleted, freedBytes }: DeletionAnswer, noun: string): string {
  if (run !== null) return `Deleting ${counted(matched, noun)} in the background`;
  const freed = freedBytes > 0 ? `, ${byteWords(freedBytes)} freed` : '';
  return `Deleted ${counted(deleted, noun)}${freed}`;
}

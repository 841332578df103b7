import { useState, type ReactNode } from 'react';

import { useChange } from '../../../api/use-change.js';
import { graphql } from '../../../gql/gql.js';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.js';
import { useAttempt } from '../../../ui/dialog/use-attempt.js';
import { useTell } from '../../../ui/dialog/use-tell.js';
import type { UserErrorLine } from '../../../ui/dialog/user-errors.js';
import { WhatGoes } from '../../../ui/dialog/what-goes.js';
import { counted } from '../../../ui/text/counted.js';
import { useTickedServers, type TickedServer } from './ticked-servers.js';

export const deleteRecordsMutation = graphql(`
  mutation DeleteKeyRecords($ids: [ID!]!) {
    deleteKeyRecords(ids: $ids) {
      userErrors {
        code
        message
      }
      matched
      deletedIds
    }
  }
`);

interface DeleteRecords {
  /** Counts the records of these servers, then asks. */
  ask: (serverIds: readonly string[]) => void;
  /** Put it on the page. */
  dialog: ReactNode;
}

const NONE: readonly TickedServer[] = [];
const NOBODY: { servers: readonly TickedServer[]; serverIds: readonly string[] } = {
  servers: NONE,
  serverIds: [],
};
const SHOWN = 5;

/** Deleting all records of servers. `onDone` is called with the servers that were asked about when they are gone. */
export function useDeleteRecords(onDone: (serverIds: readonly string[]) => void): DeleteRecords {
  const [{ servers, serverIds }, setAsked] = useState(NOBODY);
  const [isOpen, setOpen] = useState(false);
  const find = useWithRecords();
  const tell = useTell();
  const remove = useRemoval();
  const ask = async (ids: readonly string[]) => {
    const found = await find(ids);
    if (found.length === 0) return;
    setAsked({ servers: found, serverIds: ids });
    setOpen(true);
  };
  const confirm = async () => {
    const { deleted, errors } = await remove(servers.flatMap(({ recordIds }) => recordIds));
    if (errors.length > 0) return errors;
    onDone(serverIds);
    tell(`Deleted ${counted(deleted, 'key record')}`);
    return [];
  };
  const count = servers.reduce((sum, { recordIds }) => sum + recordIds.length, 0);
  const dialog = (
    <ConfirmDialog
      opened={isOpen}
      onClose={() => setOpen(false)}
      verb="Delete"
      thing={`${counted(count, 'key record')} of ${counted(servers.length, 'server')}`}
      count={count}
      onConfirm={confirm}
    >
      <WhatGoes
        filter={null}
        first={servers.slice(0, SHOWN).map(({ name }) => name)}
        count={servers.length}
      />
      <p>The next query of a peer fetches the keys anew. The history of fetches and key events stays.</p>
    </ConfirmDialog>
  );
  return { ask: (ids) => void ask(ids), dialog };
}

/** Those servers that have records; what stands in the way, and that there are none, is told. */
function useWithRecords(): (serverIds: readonly string[]) => Promise<readonly TickedServer[]> {
  const read = useTickedServers();
  const attempt = useAttempt();
  const tell = useTell();
  return async (serverIds) => {
    const found = await attempt(async () => ({
      userErrors: [],
      servers: await read(serverIds, { withRecords: true }),
    }));
    if (found === null) return NONE;
    const servers = found.servers.filter(({ recordIds }) => recordIds.length > 0);
    if (servers.length === 0) tell('There are no records any more');
    return servers;
  };
}

/** As many as one mutation takes. */
const AT_ONCE = 100;

/** Deletes records by their ids, however many; those that are gone already are no error. */
function useRemoval() {
  const { mutateAsync } = useChange(deleteRecordsMutation, { isBatch: true });
  return async (ids: readonly string[]) => {
    const gone = new Set<string>();
    let left = ids;
    let deleted = 0;
    while (left.length > 0) {
      const chunk = left.slice(0, AT_ONCE);
      const { deleteKeyRecords: payload } = await mutateAsync({ ids: chunk });
      const errors: readonly UserErrorLine[] = payload.userErrors.filter(({ code }) => code !== 'NOT_FOUND');
      if (errors.length > 0) return { deleted, errors };
      deleted += payload.deletedIds.length;
      // With a record go all keys that it lists.
      for (const id of [...chunk, ...payload.deletedIds]) gone.add(id);
      left = left.filter((id) => !gone.has(id));
    }
    return { deleted, errors: [] };
  };
}

import { useState, type ReactNode } from 'react';

import { useBackend } from '../../api/backend-context.js';
import { send } from '../../api/send.js';
import { useChange } from '../../api/use-change.js';
import { graphql } from '../../gql/gql.js';
import { ConfirmDialog, WhatGoes, type UserErrorLine } from '../../ui/dialog/dialog.js';
import { useAttempt, useTell } from '../../ui/dialog/use-tell.js';
import { counted } from '../../ui/text/number-words.js';

const tickedServersQuery = graphql(`
  query TickedServers($ids: [ID!]!, $after: String) {
    nodes(ids: $ids) {
      id
      ... on RemoteServer {
        name
        records(first: 100, after: $after) {
          nodes {
            id
          }
          pageInfo {
            hasNextPage
            endCursor
          }
        }
      }
    }
  }
`);

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

/** A server that is still known. */
interface TickedServer {
  name: string;
  recordIds: readonly string[];
}

/** So many with a hundred records each stay below what one operation may cost. */
const SERVERS_AT_ONCE = 10;
/** As many as one mutation takes. */
const RECORDS_AT_ONCE = 100;
const SHOWN = 5;

/** Reads servers by their ids, whatever page of the list they stand on; null when that failed, which is told. */
function useTickedServers(): (ids: readonly string[]) => Promise<readonly TickedServer[] | null> {
  const { basePath } = useBackend();
  const attempt = useAttempt();
  const read = async (ids: readonly string[], after: string | null) => {
    const variables = { ids: [...ids], after };
    const { nodes } = await send(basePath, tickedServersQuery, { variables, isBatch: true });
    return nodes.flatMap((node) => (node !== null && 'name' in node ? [node] : []));
  };
  const readAll = async (ids: readonly string[]) => {
    const servers: TickedServer[] = [];
    for (let start = 0; start < ids.length; start += SERVERS_AT_ONCE)
      for (const node of await read(ids.slice(start, start + SERVERS_AT_ONCE), null)) {
        const recordIds = node.records.nodes.map(({ id }) => id);
        let end: typeof node.records.pageInfo | undefined = node.records.pageInfo;
        while (end?.hasNextPage === true) {
          const [more] = await read([node.id], end.endCursor ?? null);
          recordIds.push(...(more?.records.nodes.map(({ id }) => id) ?? []));
          end = more?.records.pageInfo;
        }
        servers.push({ name: node.name, recordIds });
      }
    return { servers };
  };
  return async (ids) => (await attempt(() => readAll(ids)))?.servers ?? null;
}

interface TickedDialog {
  /** Reads the servers, then asks. `onDone` is called when it is done. */
  ask: (serverIds: readonly string[], onDone: () => void) => void;
  /** Put it on the page. */
  dialog: ReactNode;
}

interface Pending {
  servers: readonly TickedServer[];
  onDone: () => void;
}

const NOTHING: Pending = { servers: [], onDone: () => {} };

/** Deleting all records of servers. */
export function useDeleteRecords(): TickedDialog {
  const [{ servers, onDone }, setPending] = useState(NOTHING);
  const [isOpen, setOpen] = useState(false);
  const read = useTickedServers();
  const tell = useTell();
  const remove = useRemoval();
  const ask = async (ids: readonly string[], done: () => void) => {
    const found = (await read(ids))?.filter(({ recordIds }) => recordIds.length > 0);
    if (found === undefined) return;
    setPending({ servers: found, onDone: done });
    if (found.length === 0) tell('There are no records any more');
    else setOpen(true);
  };
  const confirm = async () => {
    const { deleted, errors } = await remove(servers.flatMap(({ recordIds }) => recordIds));
    if (errors.length > 0) return errors;
    onDone();
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
      <Names servers={servers} />
      <p>The next query of a peer fetches the keys anew. The history of fetches and key events stays.</p>
    </ConfirmDialog>
  );
  return { ask: (ids, done) => void ask(ids, done), dialog };
}

function Names({ servers }: { servers: readonly TickedServer[] }) {
  const first = servers.slice(0, SHOWN).map(({ name }) => name);
  return <WhatGoes filter={null} first={first} count={servers.length} />;
}

/** Deletes records by their ids, however many; those that are gone already are no error. */
function useRemoval() {
  const { mutateAsync } = useChange(deleteRecordsMutation, { isBatch: true });
  return async (ids: readonly string[]) => {
    const gone = new Set<string>();
    let left = ids;
    let deleted = 0;
    while (left.length > 0) {
      const chunk = left.slice(0, RECORDS_AT_ONCE);
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

import { useState } from 'react';

import { useBackend } from '../../api/backend-context.js';
import { send } from '../../api/send.js';
import { useChange } from '../../api/use-change.js';
import { graphql } from '../../gql/gql.js';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.js';
import { counted } from '../../ui/text/counted.js';
import { useTell } from '../../ui/dialog/use-tell.js';

const recordIdsQuery = graphql(`
  query ServerRecordIds($name: String!) {
    server(name: $name) {
      id
      records(first: 100) {
        nodes {
          id
        }
      }
    }
  }
`);

export const deleteRecordsMutation = graphql(`
  mutation DeleteKeyRecords($input: DeleteKeyRecordsInput!) {
    deleteKeyRecords(input: $input) {
      userErrors {
        code
        message
      }
      matched
      deletedIds
    }
  }
`);

/** Asks before all records of the named servers go away. */
export function DeleteRecordsDialog({ names, onClose }: { names: readonly string[]; onClose: () => void }) {
  const { basePath } = useBackend();
  const remove = useChange(deleteRecordsMutation);
  const tell = useTell();
  // The names stay while the dialog fades out.
  const [kept, setKept] = useState(names);
  if (names.length > 0 && names !== kept) setKept(names);
  const run = async () => {
    const found = await Promise.all(
      kept.map((name) => send(basePath, recordIdsQuery, { variables: { name } })),
    );
    const ids = found.flatMap(({ server }) => server?.records.nodes.map(({ id }) => id) ?? []);
    if (ids.length === 0) return [{ message: 'There are no records any more.' }];
    const { deleteKeyRecords: payload } = await remove.mutateAsync({ input: { ids } });
    if (payload.userErrors.length === 0) tell(`Deleted ${counted(payload.deletedIds.length, 'key record')}`);
    return payload.userErrors;
  };
  const thing =
    kept.length === 1 ? `the key records of ${kept[0] ?? ''}` : `the key records of ${kept.length} servers`;
  return (
    <ConfirmDialog
      opened={names.length > 0}
      onClose={onClose}
      verb="Delete"
      thing={thing}
      count={kept.length}
      onConfirm={run}
    >
      <p>The next query of a peer fetches the keys anew. The history of fetches and key events stays.</p>
    </ConfirmDialog>
  );
}

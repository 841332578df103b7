import type { CommandServices } from '../../composition/services.js';
import type { BulkDeletion, Selection } from '../../core/operators/media/bulk-deletion.js';
import { DeletedNames } from '../../core/operators/media/deleted-names.js';
import { audited } from '../audited.js';
import { followRun } from './watch-run.js';

/** The mutations that do the same, by job. */
const ACTIONS: Readonly<Record<string, string>> = {
  delete_previews: 'deletePreviews',
  delete_media: 'deleteMedia',
};

/** Deletes a selection as a run of its own, with progress on a terminal. Ctrl-C ends it after a batch. */
export async function runDeletion<Key, Filter>(
  { jobs, access }: CommandServices,
  deletion: BulkDeletion<Key, Filter>,
  what: { selection: Selection<Key, Filter>; matched: number; json?: true },
): Promise<void> {
  const { selection, matched } = what;
  const action = ACTIONS[deletion.job] ?? deletion.job;
  const auditedAction = { action, summary: `Delete ${matched} ${deletion.job.replace('delete_', '')}` };
  const about = 'filter' in selection ? { filter: selection.filter } : { ids: selection.keys.length };
  await audited(access.auditLog, auditedAction, async (note) => {
    const names = new DeletedNames();
    const started = await jobs.runner.start({
      job: deletion.job,
      cause: 'operator',
      actor: 'command line',
      work: ({ progress }) => deletion.delete(selection, progress, { matched, names }),
    });
    try {
      await followRun(jobs, started, what);
    } finally {
      note.about({ detail: { ...about, run: started.run.id, ...names.detail } });
    }
  });
}

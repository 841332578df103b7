import { useLocation } from 'wouter';

import type { RowAction } from '../../../ui/table/table-types.js';
import { runHref } from '../../jobs/use-run-job.js';
import { tryHref } from '../../try/try-href.js';
import type { PreviewRow } from '../previews-query.js';
import { useForgetPreviews } from '../use-forget-previews.js';
import { useRefreshPreviews } from '../use-refresh-previews.js';
import type { StoredView } from './stored-view.js';

/** What can be done with one preview. */
export function useStoredActions(
  view: StoredView,
  askDelete: (ids: readonly string[]) => void,
): (row: PreviewRow) => RowAction[] {
  const [, navigate] = useLocation();
  const forget = useForgetPreviews();
  const start = useRefreshPreviews();
  const refresh = (id: string) => void start([id]).then((run) => run !== null && navigate(runHref(run)));
  return ({ id, url, host, inMemory }) => [
    { label: 'Try', needs: 'tryPreview', href: tryHref(url, id) },
    {
      label: 'Refresh',
      needs: 'refreshPreviews',
      hint: 'Makes it anew and replaces it',
      onSelect: () => refresh(id),
    },
    ...(inMemory === null
      ? []
      : [
          {
            label: 'Forget in memory',
            needs: 'forgetMemoryPreviews',
            hint: 'The stored one stays',
            onSelect: () => void forget([inMemory.id]),
          },
        ]),
    { label: `Only ${host}`, onSelect: () => view.setFilter({ host }) },
    { label: 'Delete…', needs: 'deletePreviews', danger: true, onSelect: () => askDelete([id]) },
  ];
}

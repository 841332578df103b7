import { useBackend } from '../../../api/backend-context.js';
import type { RowAction } from '../../../ui/table/table-types.js';
import { hostHref } from '../../previews/host-href.js';
import { download } from '../download.js';
import type { MediaRow } from '../media-query.js';
import type { MediaView } from './media-view.js';
import { mediaHref } from '../media-words.js';

function hostOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).hostname : null;
}

/** What can be done with one media. */
export function useMediaActions(view: MediaView, askDelete: (ids: readonly string[]) => void) {
  const { basePath } = useBackend();
  return ({ id, mediaId, sourceUrl, fileState }: MediaRow): RowAction[] => {
    const host = hostOf(sourceUrl);
    return [
      { label: 'View', href: mediaHref(mediaId) },
      ...(fileState === 'PRESENT'
        ? [{ label: 'Download', onSelect: () => download(basePath, mediaId) }]
        : []),
      ...(host === null
        ? []
        : [
            { label: `Previews of ${host}`, href: hostHref(host) },
            { label: `Only ${host}`, onSelect: () => view.setFilter({ host }) },
          ]),
      { label: 'Delete…', needs: 'deleteMedia', danger: true, onSelect: () => askDelete([id]) },
    ];
  };
}

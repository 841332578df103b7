import { useViewer } from '../../session/viewer-context.js';
import { Fields } from '../../ui/page/fields.js';
import { Panel } from '../../ui/page/panel.js';
import { Bytes } from '../../ui/text/bytes.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { SafeLink } from '../../ui/text/safe-link.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { FileStateBadge, pixelWords } from '../media/media-words.js';
import type { MediaItemData } from './media-item-query.js';

/** What is known of the media. The owner is for admins. */
export function Facts({ media }: { media: MediaItemData }) {
  const { role } = useViewer();
  const { mediaId, contentType, bytes, owner, sourceUrl, createdAt, deletesAt, fileState } = media;
  return (
    <Panel title="About">
      <Fields
        items={[
          ['Deletes', <RelativeTime key="deletes" at={deletesAt} none="never" />],
          ['File', <FileStateBadge key="file" state={fileState} />],
          ['Type', <UntrustedText key="type" text={contentType} max={60} />],
          ['Size', <Bytes key="size" bytes={bytes} />],
          pixelWords(media) === null ? null : ['Pixels', pixelWords(media)],
          ['Created', <RelativeTime key="created" at={createdAt} />],
          role === 'ADMIN' ? ['Asked for by', <UntrustedText key="owner" text={owner} />] : null,
          sourceUrl === null ? null : ['Source', <SafeLink key="source" url={sourceUrl} max={70} />],
          [
            'Media ID',
            <span key="id">
              <UntrustedText text={mediaId} mono /> <CopyButton text={mediaId} what="media ID" />
            </span>,
          ],
        ]}
      />
    </Panel>
  );
}

import { Button } from '@mantine/core';
import { Link, useParams } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useBackend } from '../../api/backend-context.js';
import { useCan } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { useDeleteMedia } from '../media/delete-media.js';
import { download } from '../media/download.js';
import { nameOf } from '../media/media-words.js';
import { mediaItemQuery, type MediaItemData } from './media-item-query.js';
import { Facts } from './facts.js';
import { Image } from './stored-image.js';
import { Thumbnails } from './thumbnails.js';
import { UsedBy } from './used-by.js';
import styles from './media-item.module.css';

const BACK = { href: '/previews?tab=media', label: 'Media' };

/** One stored page or image. */
export function Page() {
  const { mediaId } = useParams<{ mediaId: string }>();
  const query = useQuery(mediaItemQuery, { mediaId }, { live: 'list', keepPrevious: false });
  return (
    <QueryView
      query={query}
      loading={<PageHeader title="Media" heading={<UntrustedText text={mediaId} />} back={BACK} />}
    >
      {({ mediaItem }) => (mediaItem === null ? <Unknown mediaId={mediaId} /> : <Item media={mediaItem} />)}
    </QueryView>
  );
}

function Item({ media }: { media: MediaItemData }) {
  return (
    <>
      <Header media={media} />
      <div className={styles.grid}>
        <div className={styles.column}>
          <Image media={media} />
          <Thumbnails media={media} />
        </div>
        <div className={styles.column}>
          <Facts media={media} />
          <UsedBy media={media} />
        </div>
      </div>
    </>
  );
}

function Header({ media }: { media: MediaItemData }) {
  const { id, mediaId, contentUri, fileState } = media;
  const { basePath } = useBackend();
  const can = useCan();
  const deletion = useDeleteMedia({ filter: {}, words: [] }, () => {});
  return (
    <>
      <PageHeader
        title={nameOf(media)}
        heading={<UntrustedText text={nameOf(media)} max={120} />}
        description={
          <>
            <UntrustedText text={contentUri} mono /> <CopyButton text={contentUri} what="content URI" />
          </>
        }
        back={BACK}
        actions={
          <>
            {can('deleteMedia') && (
              <Button variant="outline" color="seal" onClick={() => deletion.ask([id])}>
                Delete…
              </Button>
            )}
            {fileState === 'PRESENT' && <Button onClick={() => download(basePath, mediaId)}>Download</Button>}
          </>
        }
      />
      {deletion.dialog}
    </>
  );
}

function Unknown({ mediaId }: { mediaId: string }) {
  return (
    <>
      <PageHeader title="Media" heading={<UntrustedText text={mediaId} max={120} />} back={BACK} />
      <Panel>
        <EmptyState title="No media of this ID is stored">
          It was deleted, or its time was over: <Link href="/jobs/preview_cleanup">the cleanup</Link> shows
          what it removed and when.
        </EmptyState>
      </Panel>
    </>
  );
}

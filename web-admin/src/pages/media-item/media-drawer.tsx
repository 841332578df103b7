import { Button, Group, Stack } from '@mantine/core';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useBackend } from '../../api/backend-context.js';
import { useCan } from '../../session/viewer-context.js';
import { DetailDrawer } from '../../ui/page/detail-drawer.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { useDeleteMedia } from '../media/delete-media.js';
import { download } from '../media/download.js';
import { mediaItemQuery, type MediaItemData } from './media-item-query.js';
import { Facts } from './facts.js';
import { Image } from './stored-image.js';
import { Thumbnails } from './thumbnails.js';
import { UsedBy } from './used-by.js';

/** One stored page or image; closed while `mediaId` is empty. */
export function MediaDrawer({ mediaId, onClose }: { mediaId: string; onClose: () => void }) {
  return (
    <DetailDrawer title={<UntrustedText text={mediaId} />} opened={mediaId !== ''} onClose={onClose}>
      <Detail mediaId={mediaId} />
    </DetailDrawer>
  );
}

function Detail({ mediaId }: { mediaId: string }) {
  const query = useQuery(mediaItemQuery, { mediaId }, { live: 'list', keepPrevious: false });
  return (
    <QueryView query={query}>
      {({ mediaItem }) => (mediaItem === null ? <Unknown /> : <Item media={mediaItem} />)}
    </QueryView>
  );
}

function Item({ media }: { media: MediaItemData }) {
  return (
    <Stack>
      <Actions media={media} />
      <Image media={media} />
      <Thumbnails media={media} />
      <Facts media={media} />
      <UsedBy media={media} />
    </Stack>
  );
}

function Actions({ media: { id, mediaId, contentUri, fileState } }: { media: MediaItemData }) {
  const { basePath } = useBackend();
  const can = useCan();
  const deletion = useDeleteMedia({ filter: {}, words: [] }, () => {});
  return (
    <>
      <span>
        <UntrustedText text={contentUri} mono /> <CopyButton text={contentUri} what="content URI" />
      </span>
      <Group>
        {can('deleteMedia') && (
          <Button variant="outline" color="seal" onClick={() => deletion.ask([id])}>
            Delete…
          </Button>
        )}
        {fileState === 'PRESENT' && <Button onClick={() => download(basePath, mediaId)}>Download</Button>}
      </Group>
      {deletion.dialog}
    </>
  );
}

function Unknown() {
  return (
    <EmptyState title="No media has this ID">
      It was deleted, or it expired: <Link href="/jobs?job=preview_cleanup">the cleanup job</Link> shows what
      it removed and when.
    </EmptyState>
  );
}

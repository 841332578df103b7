import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';

import { useBackend } from '../../api/backend-context.js';
import { useQuery } from '../../api/use-query.js';
import { useCan, useViewer } from '../../session/viewer-context.js';
import { DetailDrawer } from '../../ui/detail-drawer.js';
import { Fields, Panel } from '../../ui/page.js';
import { SafeImage } from '../../ui/safe-image.js';
import { EmptyState, QueryView } from '../../ui/state.js';
import { Bytes, Copied, Note, RelativeTime, SafeLink, UntrustedText } from '../../ui/text/text.js';
import { previewHref } from '../hrefs.js';
import { download, FileState, pixelWords, useDeleteMedia } from './media-actions.js';
import { mediaItemQuery, type MediaItemData } from './media-query.js';

/** One stored page or image; closed while `mediaId` is empty. */
export function MediaDrawer({ mediaId, onClose }: { mediaId: string; onClose: () => void }) {
  return (
    <DetailDrawer title={<UntrustedText text={mediaId} max={40} />} opened={mediaId !== ''} onClose={onClose}>
      <Detail mediaId={mediaId} />
    </DetailDrawer>
  );
}

function Detail({ mediaId }: { mediaId: string }) {
  const query = useQuery(mediaItemQuery, { mediaId }, { live: 'list', keepPrevious: false });
  return (
    <QueryView query={query}>
      {({ mediaItem }) =>
        mediaItem === null ? (
          <EmptyState title="No media has this ID">
            It was deleted or has expired: <Link href="/jobs?job=preview_cleanup">the cleanup job</Link> shows
            what it removed and when.
          </EmptyState>
        ) : (
          <Stack gap="sm">
            <Actions media={mediaItem} />
            <Image media={mediaItem} />
            <Thumbnails media={mediaItem} />
            <Facts media={mediaItem} />
            <UsedBy media={mediaItem} />
          </Stack>
        )
      }
    </QueryView>
  );
}

function Actions({ media: { id, mediaId, contentUri, fileState } }: { media: MediaItemData }) {
  const { basePath } = useBackend();
  const can = useCan();
  const deletion = useDeleteMedia({ filter: {}, words: [] });
  return (
    <>
      <Copied text={contentUri} what="content URI" />
      <Group>
        {can('deleteMedia') && (
          <Button variant="outline" color="bad" onClick={() => deletion.ask([id])}>
            Delete…
          </Button>
        )}
        {fileState === 'PRESENT' && <Button onClick={() => download(basePath, mediaId)}>Download</Button>}
      </Group>
      {deletion.dialog}
    </>
  );
}

const BOX = { width: 640, height: 420 };

function whyNot({ fileState }: MediaItemData): string {
  if (fileState === 'MISSING') return 'Its file is missing on disk.';
  if (fileState === 'PRESENT')
    return 'Only raster images are shown here, never pages or SVG. Download it to view it.';
  return 'The cleanup job has deleted its file.';
}

/** The image as it is stored, or why it is not drawn. */
function Image({ media }: { media: MediaItemData }) {
  const { viewPath, contentType, fileName, width, height } = media;
  if (viewPath === null)
    return (
      <Text c="dimmed">
        <UntrustedText text={contentType} max={60} />. {whyNot(media)}
      </Text>
    );
  const [w, h] = [width ?? BOX.width, height ?? BOX.height];
  const scale = Math.min(1, BOX.width / w, BOX.height / h);
  return (
    <SafeImage
      path={viewPath}
      alt={fileName ?? 'The stored image'}
      width={Math.round(w * scale)}
      height={Math.round(h * scale)}
      fit="contain"
    />
  );
}

const THUMBNAIL = 120;

/** The thumbnails on disk, each drawn in proportion. */
function Thumbnails({ media: { thumbnails } }: { media: MediaItemData }) {
  if (thumbnails.length === 0) return null;
  const sorted = thumbnails.toSorted((left, right) => left.width * left.height - right.width * right.height);
  return (
    <Panel title="Thumbnails" note={`${thumbnails.length} on disk; other sizes are created on request`}>
      <Group component="ul" align="flex-end">
        {sorted.map(({ width, height, method, contentType, bytes, viewPath }) => {
          const scale = Math.min(1, THUMBNAIL / width, THUMBNAIL / height);
          return (
            <li key={`${width}x${height}-${method}-${contentType}`}>
              <SafeImage
                path={viewPath}
                alt=""
                width={Math.max(Math.round(width * scale), 16)}
                height={Math.max(Math.round(height * scale), 16)}
              />
              <Note>
                {width} × {height} {method}
                <br />
                <UntrustedText text={contentType.replace('image/', '')} max={12} /> · <Bytes bytes={bytes} />
              </Note>
            </li>
          );
        })}
      </Group>
    </Panel>
  );
}

/** What is known of the media. The user is for admins. */
function Facts({ media }: { media: MediaItemData }) {
  const { role } = useViewer();
  const { mediaId, contentType, bytes, owner, sourceUrl, createdAt, deletesAt, fileState } = media;
  return (
    <Panel title="About">
      <Fields
        items={[
          ['Expires', <RelativeTime key="" at={deletesAt} none="never" />],
          ['File', <FileState key="" state={fileState} />],
          ['Type', <UntrustedText key="" text={contentType} max={60} />],
          ['Size', <Bytes key="" bytes={bytes} />],
          pixelWords(media) === null ? null : ['Pixels', pixelWords(media)],
          ['Created', <RelativeTime key="" at={createdAt} />],
          role === 'ADMIN' ? ['Requested by', <UntrustedText key="" text={owner} max={60} />] : null,
          sourceUrl === null ? null : ['Source', <SafeLink key="" url={sourceUrl} max={70} />],
          ['Media ID', <Copied key="" text={mediaId} what="media ID" />],
        ]}
      />
    </Panel>
  );
}

/** The stored previews that need this media. */
function UsedBy({ media: { previews } }: { media: MediaItemData }) {
  return (
    <Panel title="Used by">
      {previews.length === 0 && (
        <EmptyState title="No stored preview uses it" isSmall>
          Its preview expired or was deleted. Messages may show this media until it is deleted.
        </EmptyState>
      )}
      <Stack component="ul" gap="xs">
        {previews.map((preview) => (
          <li key={preview.id}>
            <Link href={previewHref(preview)}>
              <UntrustedText text={preview.title ?? preview.url} max={80} inside />
            </Link>
            <Note>
              <UntrustedText text={preview.url} max={60} /> · expires <RelativeTime at={preview.expiresAt} />
            </Note>
          </li>
        ))}
      </Stack>
    </Panel>
  );
}

import { Group, Stack, Title } from '@mantine/core';
import { Link } from 'wouter';

import { useSession } from '../../session/session-context.js';
import { Fields, Panel } from '../../ui/page.js';
import { PreviewCard } from '../../ui/preview/preview-card.js';
import { PropertyTable } from '../../ui/preview/property-table.js';
import { StateBadge } from '../../ui/state.js';
import { counted } from '../../ui/text/number-words.js';
import { Bytes, JsonView, Note, RelativeTime, Snippet, UntrustedText } from '../../ui/text/text.js';
import { mediaHref } from '../hrefs.js';
import { MediaImage } from '../media/media-actions.js';
import type { PreviewData, PreviewMediaData } from './preview-query.js';

/** What clients get, drawn, as values and as JSON. */
export function Answer({ preview: { url, properties, image, raw } }: { preview: PreviewData }) {
  return (
    <>
      <Panel title="In a chat client">
        <PreviewCard url={url} properties={properties} viewPath={image?.viewPath ?? null} />
      </Panel>
      {properties.length > 0 && (
        <Panel title="Values" note={`${properties.length} in the answer`} flush>
          <PropertyTable properties={properties} caption="Values of the preview" />
        </Panel>
      )}
      <Panel title="Raw JSON" note="as sent to clients">
        <JsonView value={raw} what="raw preview" />
      </Panel>
    </>
  );
}

/** When it was stored, and until when it is served. */
export function Caches({ preview }: { preview: PreviewData }) {
  const { state, createdAt, expiresAt, responseCode, etag } = preview;
  return (
    <Panel title="Caches">
      <Stack gap="sm">
        <Title order={3}>
          Stored <StateBadge tone={state === 'FRESH' ? 'ok' : 'warn'}>{state.toLowerCase()}</StateBadge>
        </Title>
        <Fields
          items={[
            ['Stored', <RelativeTime key="" at={createdAt} />],
            ['Expires', <RelativeTime key="" at={expiresAt} />],
            ['Status of the page', responseCode],
            etag === null ? null : ['ETag', <UntrustedText key="" text={etag} mono max={40} />],
          ]}
        />
        <Note>Chat clients show the old preview until they reload.</Note>
      </Stack>
    </Panel>
  );
}

/** Images are stored here, and named by a content URI. */
function namesOurImage({ key, value }: PreviewData['properties'][number]): boolean {
  return key === 'og:image' && typeof value === 'string' && !/^https?:/.test(value);
}

/** The stored page and the stored image, each with its lifetime. */
export function PreviewMedia({ preview: { media, image, properties } }: { preview: PreviewData }) {
  const isImage = media !== null && image !== null && media.id === image.id;
  return (
    <Panel title="Media">
      <Stack gap="sm">
        {image !== null && <Item media={image} label={isImage ? 'Fetched image' : 'Image'} />}
        {image === null && (
          <Note>
            {properties.some(namesOurImage)
              ? 'The image was deleted before the preview expired; clients get 404 until the preview is refreshed.'
              : 'No image.'}
          </Note>
        )}
        {media !== null && !isImage && <Item media={media} label="Fetched page" />}
        {media === null && <Note>The fetched page is no longer stored.</Note>}
      </Stack>
    </Panel>
  );
}

function Item({ media, label }: { media: PreviewMediaData; label: string }) {
  const { mediaId, contentType, bytes, width, height, deletesAt, fileState, thumbnails } = media;
  return (
    <Group wrap="nowrap" align="flex-start">
      <MediaImage media={media} width={56} height={56} />
      <div>
        <Link href={mediaHref(mediaId)}>{label}</Link>{' '}
        {fileState === 'MISSING' && <StateBadge tone="bad">file missing</StateBadge>}
        <div>
          <UntrustedText text={contentType} max={40} /> · <Bytes bytes={bytes} />
          {width !== null && height !== null && ` · ${width} × ${height}`}
        </div>
        {fileState === 'MISSING' &&
          'The file is missing from media_store_path; clients get 404 until the preview is refreshed.'}
        <Note>
          {thumbnails.length > 0 && `${counted(thumbnails.length, 'thumbnail')} · `}
          {deletesAt === null ? (
            'kept'
          ) : (
            <>
              deleted <RelativeTime at={deletesAt} />
            </>
          )}
        </Note>
      </div>
    </Group>
  );
}

/** How a chat client asks for this preview. */
export function ClientCurl({ url }: { url: string }) {
  const { publicUrl, pathPrefix } = useSession();
  // A single quote would end the shell's string; encodeURIComponent leaves it.
  const asked = encodeURIComponent(url).replaceAll("'", '%27');
  const address = `${publicUrl}${pathPrefix}/media/v3/preview_url?url=${asked}`;
  const line = `curl -H 'Authorization: Bearer TOKEN' \\\n'${address}'`;
  return (
    <Panel title="Request as a client">
      <Snippet text={line} what="curl line of a client" />
    </Panel>
  );
}

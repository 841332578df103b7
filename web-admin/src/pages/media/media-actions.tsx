import { useChange } from '../../api/use-change.js';
import type { MediaFilter } from '../../gql/graphql.js';
import { useDeletion, type Deletion } from '../../ui/dialog/deletion.js';
import { SafeImage, thumbnailPath } from '../../ui/safe-image.js';
import { StateOf, type Tone } from '../../ui/state.js';
import { deleteMediaMutation, mediaToDeleteQuery, type MediaRow } from './media-query.js';

const STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  PRESENT: ['ok', 'present'],
  MISSING: ['bad', 'missing'],
  REMOVED: ['idle', 'removed by cleanup'],
};

/** Whether the file of a media is on disk. */
export function FileState({ state }: { state: string }) {
  return <StateOf state={state} of={STATES} />;
}

/** The address it came from without its scheme, else its file name, else its id. */
export function nameOf(media: Pick<MediaRow, 'mediaId' | 'sourceUrl' | 'fileName'>): string {
  return media.sourceUrl?.replace(/^https?:\/\//i, '') ?? media.fileName ?? media.mediaId;
}

/** "1200 × 630"; null when it is not an image or not known. */
export function pixelWords({ width, height }: Pick<MediaRow, 'width' | 'height'>): string | null {
  return width === null || height === null ? null : `${width} × ${height}`;
}

/** Saves the bytes of a media as a file, whatever they are; the browser draws none of them. */
export function download(basePath: string, mediaId: string): void {
  const link = document.createElement('a');
  link.href = `${basePath}/api/media/${encodeURIComponent(mediaId)}`;
  link.download = '';
  link.click();
}

interface MediaImageProps {
  media: Pick<MediaRow, 'viewPath' | 'contentType' | 'fileState'>;
  width: number;
  height: number;
}

/** A thumbnail of what may be drawn; a sign for pages, SVG and everything else, which is never drawn. */
export function MediaImage({ media: { viewPath, contentType, fileState }, width, height }: MediaImageProps) {
  const isPage = contentType.startsWith('text/') && fileState === 'PRESENT';
  return (
    <SafeImage
      path={thumbnailPath(viewPath, width > 96 ? '320x240-scale' : '96x96-crop')}
      alt=""
      width={width}
      height={height}
      icon={isPage ? 'fileText' : 'fileUnknown'}
    />
  );
}

/** All that a filter lets through, and the same in words. */
interface FilteredMedia {
  filter: MediaFilter;
  words: readonly string[];
}

/** Deleting media by id, or all that match a filter. */
export function useDeleteMedia({ filter, words }: FilteredMedia): Deletion {
  const { mutateAsync } = useChange(deleteMediaMutation);
  return useDeletion({
    send: async (request) => (await mutateAsync(request)).deleteMedia,
    noun: 'media item',
    filter,
    words,
    names: mediaToDeleteQuery,
    namesOf: ({ media }) => media.nodes.map(({ sourceUrl, mediaId }) => sourceUrl ?? mediaId),
    children: (
      <p>
        Deletes files and thumbnails for good; messages that show such an image lose it. Previews that use
        them are created anew on the next request.
      </p>
    ),
  });
}

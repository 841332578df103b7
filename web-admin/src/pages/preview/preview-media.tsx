import { mediaHref } from '../media/media-words.js';
import { Link } from 'wouter';

import { StateBadge } from '../../ui/state/state-badge.js';
import { counted } from '../../ui/text/counted.js';
import { Bytes } from '../../ui/text/bytes.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { MediaImage } from '../media/media-image.js';
import type { PreviewMediaData } from './preview-query.js';
import styles from './preview.module.css';

interface PreviewMediaProps {
  page: PreviewMediaData | null;
  image: PreviewMediaData | null;
  /** Whether the answer names an image of ours, stored or not. */
  namesImage: boolean;
}

/** The stored page and the stored image, each with its lifetime; thumbnails of the image. */
export function PreviewMedia({ page, image, namesImage }: PreviewMediaProps) {
  const isImage = page !== null && image !== null && page.id === image.id;
  return (
    <ul className={styles.mediaList}>
      {image === null ? (
        <li className={styles.small}>
          {namesImage
            ? 'The image it names was deleted before the preview expired; clients get 404 for it until the preview is refreshed.'
            : 'No image.'}
        </li>
      ) : (
        <Item media={image} label={isImage ? 'The target, an image' : 'Image'} />
      )}
      {!isImage &&
        (page === null ? (
          <li className={styles.small}>The fetched page is not kept any more.</li>
        ) : (
          <Item media={page} label="Fetched page" />
        ))}
    </ul>
  );
}

function Item({ media, label }: { media: PreviewMediaData; label: string }) {
  const { mediaId, contentType, bytes, width, height, deletesAt, fileState, thumbnails } = media;
  return (
    <li className={styles.media}>
      <MediaImage media={media} width={56} height={56} />
      <div>
        <p className={styles.mediaRole}>
          <Link href={mediaHref(mediaId)}>{label}</Link>
          {fileState === 'MISSING' && <StateBadge tone="bad">file missing</StateBadge>}
        </p>
        <p>
          <UntrustedText text={contentType} max={40} /> · <Bytes bytes={bytes} />
          {width !== null && height !== null && ` · ${width} × ${height}`}
        </p>
        {fileState === 'MISSING' && (
          <p>
            Nobody deleted the file, but it is not in media_store_path; clients get 404 for it until the
            preview is refreshed.
          </p>
        )}
        <p className={styles.small}>
          {thumbnails.length > 0 && `${counted(thumbnails.length, 'thumbnail')} · `}
          {deletesAt === null ? (
            'kept'
          ) : (
            <>
              deleted <RelativeTime at={deletesAt} />
            </>
          )}
        </p>
      </div>
    </li>
  );
}

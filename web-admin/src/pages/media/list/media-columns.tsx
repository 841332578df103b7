import { Link } from 'wouter';

import type { Column } from '../../../ui/table/table-types.js';
import { Bytes } from '../../../ui/text/bytes.js';
import { CopyButton } from '../../../ui/text/copy-button.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { writeMarks } from '../../../ui/text/visible-marks.js';
import { MediaImage } from '../media-image.js';
import type { MediaRow } from '../media-query.js';
import { FileStateBadge, mediaHref, nameOf, pixelWords } from '../media-words.js';
import styles from '../media.module.css';

function Subject({ media }: { media: MediaRow }) {
  const { mediaId, contentUri } = media;
  return (
    <span className={styles.subject}>
      <MediaImage media={media} width={48} height={48} />
      <span className={styles.words}>
        <Link href={mediaHref(mediaId)} data-tip={writeMarks(media.sourceUrl ?? mediaId)}>
          <UntrustedText text={nameOf(media)} max={36} inside />
        </Link>
        <span className={styles.source}>
          <UntrustedText text={mediaId} mono /> <CopyButton text={contentUri} what="content URI" />
        </span>
      </span>
    </span>
  );
}

const COLUMNS: readonly Column<MediaRow>[] = [
  { id: 'media', title: 'Media', isMain: true, cell: (media) => <Subject media={media} /> },
  {
    id: 'type',
    title: 'Type',
    width: '120px',
    cell: (media) => (
      <span>
        <UntrustedText text={media.contentType} max={30} />
        {pixelWords(media) !== null && <span className={styles.pixels}>{pixelWords(media)}</span>}
        {media.fileState !== 'PRESENT' && <FileStateBadge state={media.fileState} />}
      </span>
    ),
  },
  {
    id: 'size',
    title: 'Size',
    sort: 'BYTES',
    align: 'end',
    width: '90px',
    cell: ({ bytes }) => <Bytes bytes={bytes} />,
  },
  {
    id: 'owner',
    title: 'Owner',
    width: '190px',
    cell: ({ owner }) => <UntrustedText text={owner} max={28} />,
  },
  {
    id: 'created',
    title: 'Created',
    sort: 'CREATED_AT',
    width: '100px',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    id: 'deletes',
    title: 'Deletes',
    sort: 'DELETES_AT',
    width: '100px',
    cell: ({ deletesAt }) => <RelativeTime at={deletesAt} none="never" />,
  },
];

const WITHOUT_OWNER = COLUMNS.filter(({ id }) => id !== 'owner');

/** Columns of the media list; owners are for admins. */
export function columnsFor(role: string): readonly Column<MediaRow>[] {
  return role === 'ADMIN' ? COLUMNS : WITHOUT_OWNER;
}

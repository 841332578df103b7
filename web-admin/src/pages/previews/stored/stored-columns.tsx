import { Link } from 'wouter';

import { SafeImage } from '../../../ui/media/safe-image.js';
import { thumbnailPath } from '../../../ui/media/thumbnail-path.js';
import { StateBadge } from '../../../ui/state/state-badge.js';
import type { Column } from '../../../ui/table/table-types.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { writeMarks } from '../../../ui/text/visible-marks.js';
import { MemoryStateBadge } from '../memory-state.js';
import { previewHref } from '../preview-href.js';
import type { PreviewRow } from '../previews-query.js';
import styles from '../previews.module.css';

/** The first letter of the site, where there is no image. */
function Monogram({ host }: { host: string }) {
  const [letter = '?'] = host.replace(/^www\./, '').match(/[a-z0-9]/i) ?? [];
  return (
    <span className={styles.monogram} aria-hidden="true">
      {letter}
    </span>
  );
}

function Subject({ preview }: { preview: PreviewRow }) {
  const { url, host, title, image } = preview;
  return (
    <span className={styles.subject}>
      <span className={styles.image}>
        {image === null ? (
          <Monogram host={host} />
        ) : (
          <SafeImage path={thumbnailPath(image.viewPath, '96x96-crop')} alt="" width={48} height={48} />
        )}
      </span>
      <span className={styles.words}>
        <Link href={previewHref(preview)} className={styles.title}>
          {title === null ? (
            <span className={styles.untitled}>untitled</span>
          ) : (
            <UntrustedText text={title} max={90} inside />
          )}
        </Link>
        <span className={styles.url} data-tip={writeMarks(url)}>
          <UntrustedText text={url} max={64} inside />
        </span>
      </span>
    </span>
  );
}

export const STORED_COLUMNS: readonly Column<PreviewRow>[] = [
  {
    id: 'preview',
    title: 'Preview',
    sort: 'URL',
    isMain: true,
    cell: (preview) => <Subject preview={preview} />,
  },
  {
    id: 'status',
    title: 'Status',
    sort: 'RESPONSE_CODE',
    width: '90px',
    cell: ({ responseCode }) =>
      responseCode < 400 ? responseCode : <StateBadge tone="warn">{String(responseCode)}</StateBadge>,
  },
  {
    id: 'stored',
    title: 'Stored',
    sort: 'CREATED_AT',
    width: '120px',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    id: 'expires',
    title: 'Expires',
    sort: 'EXPIRES_AT',
    width: '130px',
    cell: ({ expiresAt, state }) => (
      <span className={state === 'EXPIRED' ? styles.expired : undefined}>
        <RelativeTime at={expiresAt} />
      </span>
    ),
  },
  {
    id: 'memory',
    title: 'In memory',
    width: '110px',
    cell: ({ inMemory }) =>
      inMemory === null ? (
        <span className={styles.none}>no</span>
      ) : (
        <MemoryStateBadge state={inMemory.state} />
      ),
  },
];

/** The same for those who see no query strings: the server sorts nothing by address for them. */
export const COLUMNS_OF_VIEWERS: readonly Column<PreviewRow>[] = STORED_COLUMNS.map((column) => {
  const { sort, ...rest } = column;
  return sort === 'URL' ? rest : column;
});

import { Link } from 'wouter';

import { byteWords } from '../../ui/text/bytes.js';
import type { OverviewData } from './overview-query.js';
import styles from './totals.module.css';

interface Total {
  label: string;
  value: string;
  /** Said only when there is something to say. */
  note: string;
  href: string;
  isBad?: boolean;
}

/** Counts above nought with their nouns; a noun ending in `(s)` is told in singular and plural. */
function words(pairs: readonly (readonly [number, string])[]): string {
  return pairs
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count.toLocaleString('en')} ${name.replace('(s)', count === 1 ? '' : 's')}`)
    .join(' · ');
}

function figures({ keys, previews, media }: OverviewData): Total[] {
  const n = (value: number) => value.toLocaleString('en');
  return [
    {
      label: 'Servers known',
      value: n(keys.servers),
      note: words([[keys.records, 'key record(s)']]),
      href: '/keys',
    },
    {
      label: 'Servers with expired keys',
      value: n(keys.expired),
      note: words([[keys.due, 'due for a refetch']]),
      href: '/keys?state=EXPIRED',
    },
    {
      label: 'Servers failing',
      value: n(keys.failing),
      note: keys.failing === 0 ? '' : 'backing off',
      href: '/keys?failing=yes',
      isBad: keys.failing > 0,
    },
    {
      label: 'Previews stored',
      value: n(previews.stored),
      note: words([[previews.expired, 'expired']]),
      href: '/previews',
    },
    {
      label: 'Previews in memory',
      value: n(previews.inMemory),
      note: words([
        [previews.running, 'running'],
        [previews.failedInMemory, 'failed'],
      ]),
      href: '/previews?tab=memory',
    },
    {
      label: 'Media',
      value: n(media.items),
      note: words([[media.thumbnails, 'thumbnail(s)']]),
      href: '/media',
    },
    {
      label: 'Media on disk',
      value: byteWords(media.bytes + media.thumbnailBytes),
      note: media.thumbnailBytes > 0 ? `${byteWords(media.thumbnailBytes)} of thumbnails` : '',
      href: '/media?sort=-BYTES',
    },
    {
      label: 'Files missing',
      value: n(media.missingFiles),
      note: words([
        [media.orphans, 'orphan(s)'],
        [media.dueForDeletion, 'due for deletion'],
      ]),
      href: '/media?file=MISSING',
      isBad: media.missingFiles > 0,
    },
  ];
}

/** The eight totals; each leads to its list. */
export function Totals({ overview }: { overview: OverviewData }) {
  return (
    <ul className={styles.totals} aria-label="Totals">
      {figures(overview).map(({ label, value, note, href, isBad }) => (
        <li key={label}>
          <Link href={href} className={styles.total} data-bad={isBad || undefined}>
            <span className={styles.label}>{label}</span>
            <span className={styles.value}>{value}</span>
            <span className={styles.note}>{note}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

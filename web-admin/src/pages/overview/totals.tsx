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

function words(pairs: readonly (readonly [number, string])[]): string {
  return pairs
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count.toLocaleString('en')} ${name}`)
    .join(' · ');
}

function figures({ keys, previews, media }: OverviewData): Total[] {
  const n = (value: number) => value.toLocaleString('en');
  return [
    {
      label: 'Servers with keys',
      value: n(keys.servers),
      note: words([[keys.records, 'records']]),
      href: '/keys',
    },
    {
      label: 'Keys due or expired',
      value: n(keys.due + keys.expired),
      note: words([[keys.expired, 'expired']]),
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
      note: words([[media.thumbnails, 'thumbnails']]),
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
        [media.orphans, 'orphans'],
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

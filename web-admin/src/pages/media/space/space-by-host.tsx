import { useState } from 'react';

import { byteWords } from '../../../ui/text/bytes.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import type { SpaceData } from '../media-query.js';
import styles from './space-by-host.module.css';

/** What the measuring calls all hosts beyond the largest. */
const OTHERS = 'others';
/** Hosts shown until somebody wants them all: the list of media stands below. */
const FOLDED = 10;

type Share = SpaceData['byHost'][number];

interface SpaceByHostProps {
  shares: readonly Share[];
  /** Bytes of all hosts. */
  total: number;
  onHost: (host: string) => void;
}

/** The hosts whose files and thumbnails take most, the largest first, each with a bar of its share. */
export function SpaceByHost({ shares, total, onHost }: SpaceByHostProps) {
  const [isWhole, setWhole] = useState(false);
  const most = Math.max(...shares.map(({ bytes }) => bytes), 1);
  const hosts = shares.filter(({ name }) => name !== OTHERS);
  const shown = isWhole || hosts.length <= FOLDED + 1 ? hosts : hosts.slice(0, FOLDED);
  const others = shares.filter(({ name }) => name === OTHERS);
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <caption>By host</caption>
        <Head />
        <tbody>
          {[...shown, ...others].map((share) => (
            <HostRow key={share.name} share={share} scale={{ most, total }} onHost={onHost} />
          ))}
        </tbody>
      </table>
      {shown.length < hosts.length && (
        <button type="button" className={styles.host} onClick={() => setWhole(true)}>
          Show {hosts.length - shown.length} more hosts
        </button>
      )}
    </div>
  );
}

function Head() {
  return (
    <thead>
      <tr>
        <th scope="col">Host</th>
        <th scope="col" data-align="end">
          Items
        </th>
        <th scope="col" data-align="end" className={styles.part}>
          Files
        </th>
        <th scope="col" data-align="end" className={styles.part}>
          Thumbnails
        </th>
        <th scope="col" data-align="end">
          On disk
        </th>
        <th scope="col">Share</th>
      </tr>
    </thead>
  );
}

interface HostRowProps {
  share: Share;
  /** Bytes of the largest row, which has the full bar, and of all. */
  scale: { most: number; total: number };
  onHost: (host: string) => void;
}

function HostRow({ share: { name, items, bytes, thumbnailBytes }, scale, onHost }: HostRowProps) {
  const percent = `${((bytes / Math.max(scale.total, 1)) * 100).toFixed(1)} %`;
  return (
    <tr>
      <th scope="row">
        <HostName name={name} onHost={onHost} />
      </th>
      <td data-align="end">{items.toLocaleString('en')}</td>
      <td data-align="end" className={styles.part}>
        {byteWords(bytes - thumbnailBytes)}
      </td>
      <td data-align="end" className={styles.part}>
        {byteWords(thumbnailBytes)}
      </td>
      <td data-align="end">{byteWords(bytes)}</td>
      <td className={styles.share}>
        <span className={styles.bar} style={{ width: `${(bytes / scale.most) * 100}%` }} aria-hidden="true" />
        <span className={styles.percent}>{percent}</span>
      </td>
    </tr>
  );
}

function HostName({ name, onHost }: { name: string; onHost: (host: string) => void }) {
  if (name === '') return 'no host';
  if (name === OTHERS) return 'other hosts';
  return (
    <button type="button" className={styles.host} onClick={() => onHost(name)}>
      <UntrustedText text={name} max={40} inside />
    </button>
  );
}

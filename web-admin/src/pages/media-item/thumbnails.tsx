import { SafeImage } from '../../ui/media/safe-image.js';
import { Panel } from '../../ui/page/panel.js';
import { Bytes } from '../../ui/text/bytes.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import type { MediaItemData } from './media-item-query.js';
import styles from './media-item.module.css';

const BOX = 120;

/** The thumbnails on disk, each drawn in proportion. */
export function Thumbnails({ media: { thumbnails } }: { media: MediaItemData }) {
  if (thumbnails.length === 0) return null;
  const sorted = thumbnails.toSorted((left, right) => left.width * left.height - right.width * right.height);
  return (
    <Panel title="Thumbnails" note={`${thumbnails.length} on disk; other sizes are made when asked for`}>
      <ul className={styles.thumbnails}>
        {sorted.map(({ width, height, method, contentType, bytes, viewPath }) => {
          const scale = Math.min(1, BOX / width, BOX / height);
          return (
            <li key={`${width}x${height}-${method}-${contentType}`}>
              <span className={styles.frame}>
                <SafeImage
                  path={viewPath}
                  alt=""
                  width={Math.max(Math.round(width * scale), 16)}
                  height={Math.max(Math.round(height * scale), 16)}
                />
              </span>
              <p>
                {width} × {height} <span className={styles.quiet}>{method}</span>
              </p>
              <p className={styles.quiet}>
                <UntrustedText text={contentType.replace('image/', '')} max={12} /> · <Bytes bytes={bytes} />
              </p>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

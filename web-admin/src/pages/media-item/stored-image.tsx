import { Icon } from '../../ui/icons.js';

import { SafeImage } from '../../ui/media/safe-image.js';
import { Panel } from '../../ui/page/panel.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import type { MediaItemData } from './media-item-query.js';
import styles from './media-item.module.css';

const BOX = { width: 640, height: 420 };

function whyNot({ fileState }: MediaItemData): string {
  if (fileState === 'MISSING') return 'Its file is missing on disk.';
  if (fileState === 'PRESENT')
    return 'Only raster images are drawn here: never pages, never SVG. Download it to look at it.';
  return 'The cleanup has removed its file.';
}

/** The image as it is stored, or why it is not drawn. */
export function Image({ media }: { media: MediaItemData }) {
  const { viewPath, contentType, fileName, width, height } = media;
  if (viewPath === null)
    return (
      <Panel>
        <div className={styles.hidden}>
          <Icon name="eyeOff" size={22} />
          <p>
            <UntrustedText text={contentType} max={60} />
          </p>
          <p className={styles.quiet}>{whyNot(media)}</p>
        </div>
      </Panel>
    );
  const scale = Math.min(1, BOX.width / (width ?? BOX.width), BOX.height / (height ?? BOX.height));
  return (
    <Panel>
      <div className={styles.image}>
        <SafeImage
          path={viewPath}
          alt={fileName ?? 'The stored image'}
          width={Math.round((width ?? BOX.width) * scale)}
          height={Math.round((height ?? BOX.height) * scale)}
          fit="contain"
        />
      </div>
    </Panel>
  );
}

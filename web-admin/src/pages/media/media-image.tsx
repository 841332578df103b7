import { Icon } from '../../ui/icons.js';

import { SafeImage } from '../../ui/media/safe-image.js';
import { thumbnailPath } from '../../ui/media/thumbnail-path.js';
import type { MediaRow } from './media-query.js';
import styles from './media.module.css';

interface MediaImageProps {
  media: Pick<MediaRow, 'viewPath' | 'contentType' | 'fileState'>;
  width: number;
  height: number;
}

/** A thumbnail of what may be drawn; a sign for pages, SVG and everything else, which is never drawn. */
export function MediaImage({ media, width, height }: MediaImageProps) {
  const { viewPath, contentType, fileState } = media;
  if (viewPath === null) {
    const icon = contentType.startsWith('text/') && fileState === 'PRESENT' ? 'fileText' : 'fileUnknown';
    return (
      <span className={styles.sign} style={{ width, height }}>
        <Icon name={icon} size={20} />
      </span>
    );
  }
  const size = width > 96 ? '320x240-scale' : '96x96-crop';
  return <SafeImage path={thumbnailPath(viewPath, size)} alt="" width={width} height={height} />;
}

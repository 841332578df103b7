import { Icon } from '../icons.js';
import { useState } from 'react';

import { useBackend } from '../../api/backend-context.js';
import styles from './safe-image.module.css';

interface SafeImageProps {
  /** Our own path as the API gives it; anything else, or null, draws a placeholder. */
  path: string | null | undefined;
  /** Says what it shows; "" when the text beside it already does. */
  alt: string;
  width: number;
  height: number;
  /** `cover` crops to fill, `contain` shows all of it. */
  fit?: 'cover' | 'contain';
}

/** The path below our media route, with the base path before it; null for anything that is not ours. */
function ownPath(path: string | null | undefined, basePath: string): string | null {
  if (typeof path !== 'string' || path.includes('..')) return null;
  if (path.startsWith(`${basePath}/api/media/`)) return path;
  return path.startsWith('/api/media/') ? `${basePath}${path}` : null;
}

/** An image through our own guarded media path, never from anywhere else. */
export function SafeImage({ path, alt, width, height, fit = 'cover' }: SafeImageProps) {
  const { basePath } = useBackend();
  const [failed, setFailed] = useState<string | null>(null);
  const source = ownPath(path, basePath);
  if (source === null || failed === source)
    return (
      <span className={styles.none} style={{ width, height }} role="img" aria-label={alt || 'No image'}>
        <Icon name="photoOff" size={Math.min(18, height / 2)} />
      </span>
    );
  return (
    <img
      className={styles.image}
      src={source}
      alt={alt}
      width={width}
      height={height}
      loading="lazy"
      decoding="async"
      style={{ objectFit: fit }}
      onError={() => setFailed(source)}
    />
  );
}

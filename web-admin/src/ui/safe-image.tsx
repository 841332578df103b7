import { Center } from '@mantine/core';
import { useState } from 'react';

import { useBackend } from '../api/backend-context.js';
import { Icon, type IconName } from './icons.js';

interface SafeImageProps {
  /** Our own path as the API gives it; anything else, or null, draws a placeholder. */
  path: string | null | undefined;
  /** Says what it shows; "" when the text beside it already does. */
  alt: string;
  width: number;
  height: number;
  /** `cover` crops to fill, `contain` shows all of it. */
  fit?: 'cover' | 'contain';
  /** The sign in place of what is not drawn. */
  icon?: IconName;
}

/** The path below our media route, with the base path before it; null for anything that is not ours. */
function ownPath(path: string | null | undefined, basePath: string): string | null {
  if (typeof path !== 'string' || path.includes('..')) return null;
  if (path.startsWith(`${basePath}/api/media/`)) return path;
  return path.startsWith('/api/media/') ? `${basePath}${path}` : null;
}

/** An image through our own guarded media path, never from anywhere else. */
export function SafeImage(props: SafeImageProps) {
  const { path, alt, width, height, fit = 'cover', icon = 'photoOff' } = props;
  const { basePath } = useBackend();
  const [failed, setFailed] = useState<string | null>(null);
  const source = ownPath(path, basePath);
  if (source === null || failed === source)
    return (
      <Center w={width} h={height} className="v-image" role="img" aria-label={alt || 'No image'}>
        <Icon name={icon} size={Math.min(20, height / 2)} />
      </Center>
    );
  return (
    <img
      className="v-image"
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

/** The path of a thumbnail below the path of its media. The server rounds up to sizes it makes. */
export function thumbnailPath(
  viewPath: string | null | undefined,
  size: `${number}x${number}-${'crop' | 'scale'}`,
) {
  return typeof viewPath === 'string' ? `${viewPath}/thumbnail/${size}` : null;
}

import { StateBadge } from '../../ui/state/state-badge.js';

const STATES: Readonly<Record<string, readonly ['ok' | 'bad' | 'idle', string]>> = {
  PRESENT: ['ok', 'present'],
  MISSING: ['bad', 'missing'],
  REMOVED: ['idle', 'removed by cleanup'],
};

/** Whether the file of a media is on disk. */
export function FileStateBadge({ state }: { state: string }) {
  const [tone, word] = STATES[state] ?? ['idle' as const, state.toLowerCase()];
  return <StateBadge tone={tone}>{word}</StateBadge>;
}

/** The page of one media. */
export function mediaHref(mediaId: string): string {
  const { pathname, search } = window.location;
  const list = new URLSearchParams(pathname.endsWith('/previews') ? search : '');
  // In the list itself its filters stay.
  const params = list.get('tab') === 'media' ? list : new URLSearchParams({ tab: 'media' });
  params.set('item', mediaId);
  return `/previews?${params.toString()}`;
}

/** What people know it by: the address it came from without its scheme, else its file name, else its id. */
export function nameOf(media: {
  mediaId: string;
  sourceUrl: string | null;
  fileName: string | null;
}): string {
  return media.sourceUrl?.replace(/^https?:\/\//i, '') ?? media.fileName ?? media.mediaId;
}

/** "1200 × 630"; null when it is no image or not known. */
export function pixelWords({
  width,
  height,
}: {
  width: number | null;
  height: number | null;
}): string | null {
  return width === null || height === null ? null : `${width} × ${height}`;
}

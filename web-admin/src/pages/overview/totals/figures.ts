import { byteWords } from '../../../ui/text/bytes.js';
import { counted } from '../../../ui/text/counted.js';
import type { OverviewData } from '../overview-query.js';

/** A total of the overview and the list it leads to. */
export interface Figure {
  label: string;
  value: string;
  /** Said only when there is something to say. */
  note: string;
  href: string;
  isBad?: boolean;
}

/** The eight totals, in the order they are shown. */
export function figuresOf({ keys, previews, media }: OverviewData): Figure[] {
  return [...keyFigures(keys), ...previewFigures(previews), ...mediaFigures(media)];
}

function keyFigures({ servers, records, due, expired, failing }: OverviewData['keys']): Figure[] {
  return [
    {
      label: 'Servers known',
      value: number(servers),
      note: notes([records, counted(records, 'key record')]),
      href: '/keys',
    },
    {
      label: 'Servers with expired keys',
      value: number(expired),
      note: notes([due, `${number(due)} due for a refetch`]),
      href: '/keys?state=EXPIRED',
    },
    {
      label: 'Servers failing',
      value: number(failing),
      // Whether queries wait for it, too, depends on how often it failed in a row.
      note: notes([failing, 'last fetch failed']),
      href: '/keys?failing=yes',
      isBad: failing > 0,
    },
  ];
}

function previewFigures(previews: OverviewData['previews']): Figure[] {
  const { stored, expired, inMemory, running, failedInMemory } = previews;
  return [
    {
      label: 'Previews stored',
      value: number(stored),
      note: notes([expired, `${number(expired)} expired`]),
      href: '/previews',
    },
    {
      label: 'Previews in memory',
      value: number(inMemory),
      note: notes(
        [running, `${number(running)} running`],
        [failedInMemory, `${number(failedInMemory)} failed`],
      ),
      href: '/previews?tab=memory',
    },
  ];
}

function mediaFigures(media: OverviewData['media']): Figure[] {
  const { items, diskBytes, thumbnails, thumbnailBytes, missingFiles, orphans, dueForDeletion } = media;
  return [
    {
      label: 'Media',
      value: number(items),
      note: notes([thumbnails, counted(thumbnails, 'thumbnail')]),
      href: '/previews?tab=media',
    },
    {
      label: 'Media on disk',
      value: byteWords(diskBytes),
      note: notes([thumbnailBytes, `${byteWords(thumbnailBytes)} of thumbnails`]),
      href: '/previews?tab=media&sort=-BYTES',
    },
    {
      label: 'Files missing',
      value: number(missingFiles),
      note: notes(
        [orphans, counted(orphans, 'orphan')],
        [dueForDeletion, `${number(dueForDeletion)} due for deletion`],
      ),
      href: '/previews?tab=media&file=MISSING',
      isBad: missingFiles > 0,
    },
  ];
}

function number(value: number): string {
  return value.toLocaleString('en');
}

/** Words for the counts above nought. */
function notes(...parts: readonly (readonly [count: number, words: string])[]): string {
  return parts.flatMap(([count, words]) => (count > 0 ? [words] : [])).join(' · ');
}

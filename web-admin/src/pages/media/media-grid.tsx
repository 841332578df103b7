import { Checkbox, Group, Paper, SimpleGrid } from '@mantine/core';
import { Link } from 'wouter';

import { RowMenu } from '../../ui/table/data-table.js';
import type { DataTableProps } from '../../ui/table/table-types.js';
import { Bytes, Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { mediaHref } from '../hrefs.js';
import { MediaImage, nameOf } from './media-actions.js';
import type { MediaRow } from './media-query.js';

/** The list as tiles; takes what the table takes. */
export function MediaGrid({ caption, rows, actions, selection }: DataTableProps<MediaRow>) {
  return (
    <SimpleGrid
      component="ul"
      cols={{ base: 1, xs: 2, md: 3, lg: 4 }}
      spacing="sm"
      p="sm"
      aria-label={caption}
    >
      {rows.map((media) => (
        <Paper key={media.id} component="li" withBorder p="xs">
          <MediaImage media={media} width={240} height={150} />
          <Group gap="xs" wrap="nowrap" align="flex-start">
            {selection !== undefined && (
              <Checkbox
                aria-label="Tick this item"
                checked={selection.all || selection.ids.has(media.id)}
                onChange={() => selection.toggle(media.id)}
              />
            )}
            <div style={{ flex: 1, minWidth: 0 }}>
              <Link href={mediaHref(media.mediaId)}>
                <UntrustedText text={nameOf(media)} max={38} inside />
              </Link>
              <Note>
                <UntrustedText text={media.contentType} max={24} /> · <Bytes bytes={media.bytes} />
              </Note>
              <Note>
                {media.fileState === 'MISSING' ? (
                  'file missing'
                ) : (
                  <>
                    deletes <RelativeTime at={media.deletesAt} none="never" />
                  </>
                )}
              </Note>
            </div>
            <RowMenu actions={actions?.(media) ?? []} />
          </Group>
        </Paper>
      ))}
    </SimpleGrid>
  );
}

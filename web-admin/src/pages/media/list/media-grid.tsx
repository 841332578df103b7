import { Checkbox } from '@mantine/core';
import { Link } from 'wouter';

import { useCan } from '../../../session/viewer-context.js';
import { ErrorState } from '../../../ui/state/error-state.js';
import { SkeletonLines } from '../../../ui/state/section.js';
import { BulkBar } from '../../../ui/table/bulk-bar.js';
import type { DataTableProps, RowAction } from '../../../ui/table/table-types.js';
import { NewerBar } from '../../../ui/table/newer-bar.js';
import { Pager } from '../../../ui/table/pager.js';
import { RowMenu } from '../../../ui/table/row-menu.js';
import type { Selection } from '../../../ui/table/selection.js';
import { Bytes } from '../../../ui/text/bytes.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { MediaImage } from '../media-image.js';
import type { MediaRow } from '../media-query.js';
import { mediaHref, nameOf } from '../media-words.js';
import styles from '../media.module.css';

/** The list as tiles; takes what the table takes. */
export function MediaGrid(props: DataTableProps<MediaRow>) {
  const { caption, rows, error, newer, pager, bulk = [], selection, actions, allThatMatch } = props;
  const can = useCan();
  if (rows === undefined && error) return <ErrorState error={error} onRetry={props.onRetry ?? (() => {})} />;
  if (rows === undefined) return <SkeletonLines count={8} />;
  const mayTick = bulk.some(({ needs }) => needs === undefined || can(needs));
  const ticks = mayTick ? selection : undefined;
  return (
    <div data-stale={props.isStale || undefined}>
      {newer !== undefined && <NewerBar count={newer.count} onShow={newer.onShow} />}
      {rows.length === 0 && props.empty}
      <ul className={styles.tiles} aria-label={caption}>
        {rows.map((media) => (
          <Tile key={media.id} media={media} actions={actions?.(media) ?? []} selection={ticks} />
        ))}
      </ul>
      {pager !== undefined && (rows.length > 0 || pager.pageInfo.hasPreviousPage) && (
        <Pager {...pager} isStale={props.isStale ?? false} />
      )}
      {ticks !== undefined && (
        <BulkBar selection={ticks} actions={bulk} allThatMatch={allThatMatch ?? null} />
      )}
    </div>
  );
}

interface TileProps {
  media: MediaRow;
  actions: readonly RowAction[];
  selection: Selection | undefined;
}

function Tile({ media, actions, selection }: TileProps) {
  const { id, mediaId, contentType, bytes, deletesAt, fileState } = media;
  const isTicked = selection !== undefined && (selection.all || selection.ids.has(id));
  return (
    <li className={styles.tile} data-ticked={isTicked || undefined}>
      <div className={styles.tileImage}>
        <MediaImage media={media} width={240} height={150} />
        {selection !== undefined && (
          <Checkbox
            className={styles.tileTick}
            aria-label="Tick this item"
            checked={isTicked}
            onChange={() => selection.toggle(id)}
          />
        )}
      </div>
      <div className={styles.tileHead}>
        <Link href={mediaHref(mediaId)} className={styles.tileName}>
          <UntrustedText text={nameOf(media)} max={38} inside />
        </Link>
        <RowMenu actions={actions} />
      </div>
      <p className={styles.tileLine}>
        <UntrustedText text={contentType} max={24} /> · <Bytes bytes={bytes} />
      </p>
      <p className={styles.tileLine}>
        {fileState === 'MISSING' ? (
          <span className={styles.missing}>file missing</span>
        ) : (
          <>
            deletes <RelativeTime at={deletesAt} none="never" />
          </>
        )}
      </p>
    </li>
  );
}

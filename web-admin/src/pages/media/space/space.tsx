import { Link } from 'wouter';

import { useQuery } from '../../../api/use-query.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { QueryView } from '../../../ui/state/query-view.js';
import { byteWords } from '../../../ui/text/bytes.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { mediaSpaceQuery, type SpaceData } from '../media-query.js';
import { SpaceByDay } from './space-by-day.js';
import { SpaceByHost } from './space-by-host.js';
import { SpaceByType } from './space-by-type.js';
import styles from '../media.module.css';

interface SpaceProps {
  onType: (type: string) => void;
  onDay: (day: string) => void;
  onHost: (host: string) => void;
}

/** Where the space goes, as last measured; a click filters the list below. */
export function Space({ onType, onDay, onHost }: SpaceProps) {
  const query = useQuery(mediaSpaceQuery, {}, { live: 'list' });
  const space = query.data?.mediaSpace;
  return (
    <Panel title="Space" note={space !== undefined && space.byType.length > 0 && <Measured space={space} />}>
      <QueryView query={query}>
        {({ mediaSpace }) =>
          mediaSpace.measuredAt === null || mediaSpace.byType.length === 0 ? (
            <EmptyState
              title={
                mediaSpace.measuredAt === null
                  ? 'Not measured yet'
                  : 'Nothing was stored when it was measured'
              }
              isSmall
            >
              The job <Link href="/jobs?job=measure_totals">measure_totals</Link> measures it every now and
              then.
            </EmptyState>
          ) : (
            <div className={styles.space}>
              <SpaceByType shares={mediaSpace.byType} onType={onType} />
              <SpaceByDay shares={mediaSpace.byDay} onDay={onDay} />
              <SpaceByHost shares={mediaSpace.byHost} total={mediaSpace.diskBytes} onHost={onHost} />
            </div>
          )
        }
      </QueryView>
    </Panel>
  );
}

function Measured({ space }: { space: SpaceData }) {
  return (
    <>
      {byteWords(space.diskBytes)} on disk in files and thumbnails, measured{' '}
      <RelativeTime at={space.measuredAt} />
    </>
  );
}

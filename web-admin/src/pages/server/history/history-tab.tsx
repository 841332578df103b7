import { Button } from '@mantine/core';
import { Icon } from '../../../ui/icons.js';
import { useState } from 'react';

import { useQuery } from '../../../api/use-query.js';
import { useNow } from '../../../live/use-now.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { QueryView } from '../../../ui/state/query-view.js';
import { text, whole } from '../../../url/params.js';
import { useSearchParams } from '../../../url/search-params.js';
import { historyQuery, type HistoryData } from './history-query.js';
import { BandTable, KeyTable, MarkList } from './history-tables.js';
import { Timeline } from './timeline.js';
import { wholeSpan, zoomed } from './timeline-model.js';
import styles from './history.module.css';

const LAST_TS = 8.64e15;
const SHAPE = { after: text(), at: whole(0, 0, LAST_TS) };
const PAGE_SIZE = 100;
/** Longer tables are closed at first. */
const SHORT_TABLE = 25;

/** Which records and keys were known, and when: a drawing, and tables of the same. */
export function HistoryTab({ name }: { name: string }) {
  const [{ after }] = useSearchParams(SHAPE);
  const variables = { server: name, first: PAGE_SIZE, after: after === '' ? null : after };
  const query = useQuery(historyQuery, variables, { live: 'list' });
  return (
    <QueryView query={query}>
      {({ server }) =>
        server === null || server.history.bands.length === 0 ? (
          <Panel>
            <EmptyState title="No record has ever been stored">
              The history begins with the first record that is accepted.
            </EmptyState>
          </Panel>
        ) : (
          <History history={server.history} />
        )
      }
    </QueryView>
  );
}

function History({ history }: { history: HistoryData }) {
  const [{ after, at }, change] = useSearchParams(SHAPE);
  const nowTs = useNow();
  const all = wholeSpan(history, nowTs);
  // One screen of the drawing is a share of the whole, so that it stays right when time goes on.
  const [share, setShare] = useState(1);
  const atTs = at === 0 ? all.untilTs : Math.min(Math.max(at, all.fromTs), all.untilTs);
  const span = share === 1 ? all : zoomed(all, share, { atTs, whole: all });
  const choose = (ts: number) => change({ at: ts >= all.untilTs && after === '' ? 0 : ts });
  return (
    <div className={styles.tab}>
      <Panel
        title="Timeline"
        note="Click, or step with the arrow keys; with Shift in small steps"
        actions={<Actions history={history} zoom={{ share, setShare }} />}
      >
        <Timeline history={history} span={span} atTs={atTs} onChoose={choose} />
      </Panel>
      <Panel title="What happened" note={after === '' ? undefined : 'among these records'}>
        <MarkList history={history} onChoose={choose} />
      </Panel>
      <details className={styles.tables} open={history.bands.length <= SHORT_TABLE}>
        <summary>The same as tables</summary>
        <BandTable bands={history.bands} onChoose={choose} />
        <KeyTable keys={history.keys} leftOut={history.keysLeftOut} />
      </details>
    </div>
  );
}

interface ActionsProps {
  history: HistoryData;
  zoom: { share: number; setShare: (share: number) => void };
}

const MOST_ZOOM = 1 / 4096;

function Actions({ history, zoom: { share, setShare } }: ActionsProps) {
  const [{ after }, change] = useSearchParams(SHAPE);
  const { pageInfo } = history;
  const goTo = (cursor: string) => change({ after: cursor, at: 0 }, { push: true });
  return (
    <div className={styles.actions}>
      {after !== '' && <Button onClick={() => goTo('')}>Newest</Button>}
      {pageInfo.hasNextPage && <Button onClick={() => goTo(pageInfo.endCursor ?? '')}>Older</Button>}
      <Button
        aria-label="Show less time"
        disabled={share <= MOST_ZOOM}
        onClick={() => setShare(Math.max(share / 2, MOST_ZOOM))}
      >
        <Icon name="plus" size={15} />
      </Button>
      <Button
        aria-label="Show more time"
        disabled={share === 1}
        onClick={() => setShare(Math.min(share * 2, 1))}
      >
        <Icon name="minus" size={15} />
      </Button>
    </div>
  );
}

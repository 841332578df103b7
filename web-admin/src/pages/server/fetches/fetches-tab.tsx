import { Button } from '@mantine/core';

import { useQuery } from '../../../api/use-query.js';
import { useHeldList } from '../../../live/use-held-list.js';
import { Chips } from '../../../ui/filter/chips.js';
import { Panel } from '../../../ui/page/panel.js';
import { QueryView } from '../../../ui/state/query-view.js';
import { NewerBar } from '../../../ui/table/newer-bar.js';
import { oneOf, text } from '../../../url/params.js';
import { useSearchParams } from '../../../url/search-params.js';
import { fetchesQuery } from '../server-query.js';
import { FetchList, NoFetches, OUTCOME_WORDS } from './fetch-list.js';
import styles from './fetches.module.css';

/** Fetches that are not allowed leave no row, so nobody can look for them. */
const OUTCOMES = ['OK', 'FAILED'] as const;
const OPTIONS = OUTCOMES.map((value) => ({ value, label: OUTCOME_WORDS[value] }));
const SHAPE = { outcome: oneOf(OUTCOMES), after: text() };
const PAGE_SIZE = 20;

/** The history of fetches; each opens into its stages. */
export function FetchesTab({ name }: { name: string }) {
  const [{ outcome, after }, change] = useSearchParams(SHAPE);
  const variables = { name, outcome, first: PAGE_SIZE, after: after === '' ? null : after };
  const query = useQuery(fetchesQuery, variables, { live: 'list' });
  const held = useHeldList(query.data?.server?.fetches, {
    key: `${name} ${outcome} ${after}`,
    idsOf: ({ nodes }) => nodes.map(({ id }) => id),
    isPlaceholder: query.isPlaceholderData,
  });
  // A cursor of one list means nothing in another.
  const choose = (value: string | null) => change({ outcome: SHAPE.outcome.parse(value), after: '' });
  const goTo = (cursor: string) => change({ after: cursor }, { push: true });
  return (
    <>
      <div className={styles.filter}>
        <Chips group={{ label: 'Outcome', value: outcome, options: OPTIONS, onChange: choose }} />
      </div>
      <Panel flush>
        <QueryView query={query}>
          {() => (
            <>
              <NewerBar count={held.newer} onShow={held.show} />
              {held.shown === undefined || held.shown.nodes.length === 0 ? (
                <NoFetches outcome={outcome} goesOn={held.shown?.pageInfo.hasNextPage ?? false} />
              ) : (
                <FetchList fetches={held.shown.nodes} />
              )}
              <Pager page={held.shown?.pageInfo} isFirst={after === ''} goTo={goTo} />
            </>
          )}
        </QueryView>
      </Panel>
    </>
  );
}

interface PagerProps {
  page: { hasNextPage: boolean; endCursor: string | null } | undefined;
  isFirst: boolean;
  goTo: (after: string) => void;
}

function Pager({ page, isFirst, goTo }: PagerProps) {
  return (
    <div className={styles.more}>
      {!isFirst && <Button onClick={() => goTo('')}>Newest</Button>}
      {page?.hasNextPage && <Button onClick={() => goTo(page.endCursor ?? '')}>Older</Button>}
    </div>
  );
}

import { Button } from '@mantine/core';
import { useState } from 'react';

import { useQuery } from '../../api/use-query.js';
import { useHeldList } from '../../live/use-held-list.js';
import { Chips } from '../../ui/filter/chips.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { StateBadge } from '../../ui/state/state-badge.js';
import { NewerBar } from '../../ui/table/newer-bar.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { durationWords } from '../../ui/text/time-words.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { TraceList } from '../../ui/trace/trace-list.js';
import { oneOf, text, useSearchParams } from '../../url/search-params.js';
import { fetchesQuery } from './server-query.js';
import type { FetchData } from './server-query.js';
import styles from './fetches.module.css';

const SHAPE = { outcome: oneOf(['OK', 'FAILED', 'NOT_ALLOWED']), after: text() };
const WORDS = { OK: 'ok', FAILED: 'failed', NOT_ALLOWED: 'not allowed' } as const;
const TONES = { OK: 'ok', FAILED: 'bad', NOT_ALLOWED: 'idle' } as const;
const PAGE_SIZE = 20;

/** The history of fetches; each opens into its stages. */
export function FetchesTab({ name }: { name: string }) {
  const [{ outcome, after }, change] = useSearchParams(SHAPE);
  const variables = { name, first: PAGE_SIZE, after: after === '' ? null : after };
  const query = useQuery(fetchesQuery, variables, { live: 'list' });
  const held = useHeldList(query.data?.server?.fetches, {
    key: `${name} ${after}`,
    idsOf: ({ nodes }) => nodes.map(({ id }) => id),
    isPlaceholder: query.isPlaceholderData,
  });
  return (
    <>
      <div className={styles.filter}>
        <Chips
          group={{
            label: 'Outcome',
            value: outcome,
            options: Object.entries(WORDS).map(([value, label]) => ({ value, label })),
            onChange: (value) => change({ outcome: SHAPE.outcome.parse(value) }),
          }}
        />
      </div>
      <Panel flush>
        <QueryView query={query}>
          {() => (
            <>
              <NewerBar count={held.newer} onShow={held.show} />
              <FetchList
                fetches={(held.shown?.nodes ?? []).filter(
                  (fetch) => outcome === null || fetch.outcome === outcome,
                )}
              />
              <div className={styles.more}>
                {after !== '' && (
                  <Button onClick={() => change({ after: '' }, { push: true })}>Newest</Button>
                )}
                {held.shown?.pageInfo.hasNextPage && (
                  <Button
                    onClick={() => change({ after: held.shown?.pageInfo.endCursor ?? '' }, { push: true })}
                  >
                    Older
                  </Button>
                )}
              </div>
            </>
          )}
        </QueryView>
      </Panel>
    </>
  );
}

function FetchList({ fetches }: { fetches: readonly FetchData[] }) {
  if (fetches.length === 0)
    return (
      <EmptyState title="No such fetch on this page">
        A fetch happens when a peer asks or an operator refreshes.
      </EmptyState>
    );
  return (
    <ul>
      {fetches.map((fetch) => (
        <FetchRow key={fetch.id} fetch={fetch} />
      ))}
    </ul>
  );
}

function FetchRow({ fetch }: { fetch: FetchData }) {
  const [isOpen, setOpen] = useState(false);
  const { outcome, startedAt, durationMs, message, cause, steps } = fetch;
  return (
    <li className={styles.fetch}>
      <div className={styles.head}>
        <span className={styles.outcome}>
          <StateBadge tone={TONES[outcome]}>{WORDS[outcome]}</StateBadge>
        </span>
        <span className={styles.when}>
          <RelativeTime at={startedAt} />
        </span>
        <span className={styles.what}>
          {message === null ? <>for {cause}</> : <UntrustedText text={message} max={160} />}
          {message !== null && <span className={styles.cause}> for {cause}</span>}
        </span>
        <span className={styles.time}>{durationWords(durationMs)}</span>
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={isOpen}
          disabled={steps.length === 0}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Hide stages' : 'Stages'}
        </button>
      </div>
      {isOpen && (
        <div className={styles.steps}>
          <TraceList steps={steps} label="Stages of this fetch" />
        </div>
      )}
    </li>
  );
}

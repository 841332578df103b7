import { Box, Button, Group } from '@mantine/core';
import { useState } from 'react';

import { useQuery } from '../../api/use-query.js';
import { Chips } from '../../ui/filter/filter-bar.js';
import { Panel } from '../../ui/page.js';
import { EmptyState, QueryView, StateOf, type Tone } from '../../ui/state.js';
import { Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { durationWords } from '../../ui/text/time-words.js';
import { TraceList } from '../../ui/trace/trace-list.js';
import { oneOf, text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { Pages } from './events-tab.js';
import { fetchesQuery, type FetchData } from './server-query.js';

const OUTCOMES: Record<FetchData['outcome'], readonly [Tone, string]> = {
  OK: ['ok', 'ok'],
  FAILED: ['bad', 'failed'],
};
const SHAPE = { outcome: oneOf(['OK', 'FAILED']), after: text() };
const PAGE_SIZE = 20;

/** The history of fetches; each opens into its stages. */
export function FetchesTab({ name }: { name: string }) {
  const [{ outcome, after }, change] = useSearchParams(SHAPE);
  const variables = { name, outcome, first: PAGE_SIZE, after: after || null };
  const query = useQuery(fetchesQuery, variables, { live: 'list' });
  return (
    <Panel
      title="Fetches"
      actions={
        <Chips
          group={{
            label: 'Outcome',
            value: outcome,
            options: [
              { value: 'OK', label: 'ok' },
              { value: 'FAILED', label: 'failed' },
            ],
            // A cursor of one list means nothing in another.
            onChange: (value) => change({ outcome: SHAPE.outcome.parse(value), after: '' }),
          }}
        />
      }
    >
      <QueryView query={query}>
        {({ server }) => {
          const { nodes, pageInfo } = server?.fetches ?? { nodes: [], pageInfo: { hasNextPage: false } };
          return (
            <>
              {nodes.length === 0 && <NoFetches outcome={outcome} goesOn={pageInfo.hasNextPage} />}
              <ul aria-label="Fetches">
                {nodes.map((fetch) => (
                  <Fetch key={fetch.id} fetch={fetch} />
                ))}
              </ul>
              <Pages
                page={pageInfo}
                isFirst={after === ''}
                goTo={(cursor) => change({ after: cursor }, { push: true })}
              />
            </>
          );
        }}
      </QueryView>
    </Panel>
  );
}

/** In place of the list; `goesOn`: older ones have not been looked at yet. */
function NoFetches({ outcome, goesOn }: { outcome: 'OK' | 'FAILED' | null; goesOn: boolean }) {
  if (goesOn)
    return <EmptyState title="None among the newest">Older ones have not been searched yet.</EmptyState>;
  if (outcome === 'OK')
    return (
      <EmptyState title="No fetch of this server succeeded">
        Failed fetches show the reason; Diagnose asks the server now.
      </EmptyState>
    );
  if (outcome === 'FAILED')
    return <EmptyState title="No fetch of this server failed">The history goes back 30 days.</EmptyState>;
  return (
    <EmptyState title="No fetch yet">
      Keys are fetched when a peer requests them or an operator refreshes them, if the whitelist allows it.
    </EmptyState>
  );
}

function Fetch({ fetch }: { fetch: FetchData }) {
  const [isOpen, setOpen] = useState(false);
  const { outcome, startedAt, durationMs, message, cause, steps } = fetch;
  return (
    <Box component="li" py={4}>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <StateOf state={outcome} of={OUTCOMES} />
        <Box flex={1} miw={0}>
          {message !== null && <UntrustedText text={message} />}
          <Note>
            <RelativeTime at={startedAt} />, for {cause}, {durationWords(durationMs)}
          </Note>
        </Box>
        <Button
          variant="subtle"
          aria-expanded={isOpen}
          disabled={steps.length === 0}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Hide stages' : 'Stages'}
        </Button>
      </Group>
      {isOpen && <TraceList steps={steps} label="Stages of this fetch" />}
    </Box>
  );
}

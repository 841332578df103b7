import { Anchor, Button, Group, Stack, Text } from '@mantine/core';

import { useQuery } from '../../api/use-query.js';
import { useNow } from '../../live/use-now.js';
import { Panel } from '../../ui/page.js';
import { EmptyState, QueryView, StateBadge, type Tone } from '../../ui/state.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { Column } from '../../ui/table/table-types.js';
import { Note, UntrustedText } from '../../ui/text/text.js';
import { exactTime } from '../../ui/text/time-words.js';
import { text, whole } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { historyQuery, type BandData, type ServerHistory } from './history-query.js';
import { historyOf, type KeyHistory, type KeyPiece, type Mark, type MarkKind } from './history.js';
import { bandWords, MARKS, wholeSpan } from './timeline-model.js';
import { Timeline } from './timeline.js';

const LAST_TS = 8.64e15;
const SHAPE = { after: text(), at: whole(0, 0, LAST_TS) };
const PAGE_SIZE = 100;
/** Longer tables are closed at first. */
const SHORT_TABLE = 25;

/** Which records and keys were known, and when: a drawing, and tables of the same. */
export function TimelineTab({ name }: { name: string }) {
  const [{ after }] = useSearchParams(SHAPE);
  const variables = { server: name, first: PAGE_SIZE, after: after || null };
  const query = useQuery(historyQuery, variables, { live: 'list' });
  return (
    <QueryView query={query}>
      {({ server }) =>
        server === null || server.history.nodes.length === 0 ? (
          <EmptyState title="No record has ever been stored">
            The timeline begins with the first accepted record.
          </EmptyState>
        ) : (
          <History server={server} />
        )
      }
    </QueryView>
  );
}

function History({ server }: { server: ServerHistory }) {
  const [{ after, at }, change] = useSearchParams(SHAPE);
  const nowTs = useNow();
  const history = historyOf(server, nowTs);
  const all = wholeSpan(history, nowTs);
  const atTs = at === 0 ? all.untilTs : Math.min(Math.max(at, all.fromTs), all.untilTs);
  const choose = (ts: number) => change({ at: ts >= all.untilTs && after === '' ? 0 : ts });
  const { bands } = history;
  const { pageInfo } = server.history;
  const goTo = (cursor: string) => change({ after: cursor, at: 0 }, { push: true });
  return (
    <Stack gap="sm">
      <Panel
        title="Timeline"
        note="Click, or use the arrow keys (Shift: small steps)"
        actions={
          <>
            {after !== '' && <Button onClick={() => goTo('')}>Newest</Button>}
            {pageInfo.hasNextPage && <Button onClick={() => goTo(pageInfo.endCursor ?? '')}>Older</Button>}
          </>
        }
      >
        <Timeline history={history} span={all} atTs={atTs} onChoose={choose} />
      </Panel>
      <Panel title="What happened" note={after === '' ? undefined : 'among these records'}>
        <Marks marks={history.marks} onChoose={choose} />
      </Panel>
      <details open={bands.length <= SHORT_TABLE}>
        <summary>The same as tables</summary>
        <Stack gap="sm" mt="xs">
          <BandTable bands={bands} onChoose={choose} />
          <KeyTable history={history} />
        </Stack>
      </details>
    </Stack>
  );
}

type Choose = (ts: number) => void;

const TONES: Record<MarkKind, Tone> = {
  REPLACEMENT: 'bad',
  GAP: 'warn',
  ROTATION: 'busy',
  RETIRED: 'warn',
  ADDED: 'busy',
  FIRST: 'idle',
  ACKNOWLEDGED: 'ok',
};

function exact(at: string | null, none: string): string {
  return at === null ? none : (exactTime(Date.parse(at)) ?? at);
}

/** An instant that can be chosen. */
function Instant({ at, onChoose }: { at: string; onChoose: Choose }) {
  return (
    <Anchor component="button" type="button" inherit onClick={() => onChoose(Date.parse(at))}>
      {exact(at, '')}
    </Anchor>
  );
}

/** Rotations, replacements and gaps in words, latest first. */
function Marks({ marks, onChoose }: { marks: readonly Mark[]; onChoose: Choose }) {
  if (marks.length === 0)
    return <Text c="dimmed">No key was rotated or replaced, and a valid record was always known.</Text>;
  return (
    <Stack component="ol" gap="xs" mah={420} className="v-scroll" aria-label="What happened">
      {marks.toReversed().map(({ kind, from, until, sentence }, index) => (
        <Group component="li" key={index} gap="xs" wrap="nowrap" align="flex-start">
          <StateBadge tone={TONES[kind]}>{MARKS[kind].word}</StateBadge>
          <div>
            <UntrustedText text={sentence} />
            <Note>
              <Instant at={from} onChoose={onChoose} />
              {kind === 'GAP' && ` until ${exact(until, 'now')}`}
            </Note>
          </div>
        </Group>
      ))}
    </Stack>
  );
}

function bandColumns(onChoose: Choose): readonly Column<BandData>[] {
  return [
    { title: 'Record', isMain: true, cell: bandWords },
    { title: 'Newest from (UTC)', cell: ({ from }) => <Instant at={from} onChoose={onChoose} /> },
    { title: 'Until', cell: ({ until }) => exact(until, 'now') },
    { title: 'Stored', cell: ({ firstSeenAt }) => exact(firstSeenAt, '—') },
    { title: 'Valid until', cell: ({ validUntil }) => exact(validUntil, '—') },
    {
      title: 'Keys',
      cell: ({ keys, keyCount }) => (
        <UntrustedText
          text={keyCount > 3 ? `${keyCount} keys` : keys.map(({ keyId }) => keyId).join(', ')}
          mono
          max={60}
        />
      ),
    },
  ];
}

/** The bands of the drawing as a table. */
function BandTable({ bands, onChoose }: { bands: readonly BandData[]; onChoose: Choose }) {
  return (
    <Panel title="Records over time" flush>
      <DataTable
        caption="Records over time"
        rows={bands}
        rowId={({ number }) => String(number)}
        columns={bandColumns(onChoose)}
      />
    </Panel>
  );
}

interface PieceRow {
  keyId: string;
  piece: KeyPiece;
}

const KEY_COLUMNS: readonly Column<PieceRow>[] = [
  { title: 'Key ID', isMain: true, cell: ({ keyId }) => <UntrustedText text={keyId} mono max={40} /> },
  { title: 'Listed as', cell: ({ piece }) => (piece.isOld ? 'old key' : 'in use') },
  { title: 'From (UTC)', cell: ({ piece }) => exact(piece.from, '—') },
  { title: 'Until', cell: ({ piece }) => exact(piece.until, 'now') },
  { title: 'Valid until', cell: ({ piece }) => exact(piece.validUntil, '—') },
  { title: 'Key', cell: ({ piece }) => <UntrustedText text={piece.key} mono max={24} /> },
];

/** The keys of the drawing as a table. */
function KeyTable({ history: { lanes, lanesLeftOut: leftOut } }: { history: KeyHistory }) {
  const rows = lanes.flatMap(({ keyId, pieces }) =>
    pieces.toReversed().map((piece): PieceRow => ({ keyId, piece })),
  );
  return (
    <Panel title="Keys over time" note={leftOut > 0 ? `${leftOut} more keys are not shown` : undefined} flush>
      <DataTable
        caption="Keys over time"
        rows={rows}
        rowId={({ keyId, piece }) => `${keyId} ${piece.from}`}
        columns={KEY_COLUMNS}
      />
    </Panel>
  );
}

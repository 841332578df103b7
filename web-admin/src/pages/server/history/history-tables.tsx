import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { StateBadge, type Tone } from '../../../ui/state/state-badge.js';
import { DataTable } from '../../../ui/table/data-table.js';
import type { Column } from '../../../ui/table/table-types.js';
import { exactTime } from '../../../ui/text/time-words.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import type { BandData, HistoryData, KeyData, MarkData } from './history-query.js';
import { MARKS, bandWords } from './timeline-model.js';
import styles from './history.module.css';

type Choose = (ts: number) => void;

const TONES: Record<MarkData['kind'], Tone> = {
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
    <button type="button" className={styles.choose} onClick={() => onChoose(Date.parse(at))}>
      {exact(at, '')}
    </button>
  );
}

/** Rotations, replacements and gaps in words, latest first. */
export function MarkList({ history: { marks }, onChoose }: { history: HistoryData; onChoose: Choose }) {
  if (marks.length === 0)
    return (
      <EmptyState isSmall title="No key was rotated or replaced, and something valid was always known." />
    );
  return (
    <ol className={styles.marks} aria-label="What happened">
      {marks.toReversed().map(({ kind, from, until, sentence }, index) => (
        <li key={index}>
          <StateBadge tone={TONES[kind]}>{MARKS[kind].word}</StateBadge>
          <span>
            <Instant at={from} onChoose={onChoose} />
            {kind === 'GAP' && <span className={styles.small}> until {exact(until, 'now')}</span>}
            <br />
            <UntrustedText text={sentence} />
          </span>
        </li>
      ))}
    </ol>
  );
}

interface BandRow {
  band: BandData;
  onChoose: Choose;
}

const BAND_COLUMNS: readonly Column<BandRow>[] = [
  { id: 'record', title: 'Record', isMain: true, cell: ({ band }) => bandWords(band) },
  {
    id: 'from',
    title: 'Newest from',
    cell: ({ band, onChoose }) => <Instant at={band.from} onChoose={onChoose} />,
  },
  { id: 'until', title: 'Until', cell: ({ band }) => exact(band.until, 'now') },
  { id: 'stored', title: 'Stored', cell: ({ band }) => exact(band.firstSeenAt, '—') },
  { id: 'valid', title: 'Valid until', cell: ({ band }) => exact(band.validUntil, '—') },
  {
    id: 'keys',
    title: 'Keys',
    cell: ({ band: { keyIds, keyCount } }) => (
      <UntrustedText text={keyCount > 3 ? `${keyCount} keys` : keyIds.join(', ')} mono max={60} />
    ),
  },
];

/** The bands of the drawing as a table. */
export function BandTable({ bands, onChoose }: { bands: readonly BandData[]; onChoose: Choose }) {
  return (
    <Panel title="Records over time" flush>
      <DataTable
        caption="Records over time, newest first"
        rows={bands.map((band): BandRow => ({ band, onChoose }))}
        rowId={({ band }) => String(band.number)}
        columns={BAND_COLUMNS}
        empty={<EmptyState title="No record" />}
      />
    </Panel>
  );
}

interface PieceRow {
  id: string;
  keyId: string;
  piece: KeyData['pieces'][number];
}

const KEY_COLUMNS: readonly Column<PieceRow>[] = [
  {
    id: 'key',
    title: 'Key ID',
    isMain: true,
    cell: ({ keyId }) => <UntrustedText text={keyId} mono max={40} />,
  },
  { id: 'kind', title: 'Listed as', cell: ({ piece }) => (piece.kind === 'VERIFY' ? 'in use' : 'old key') },
  { id: 'from', title: 'From', cell: ({ piece }) => exact(piece.from, '—') },
  { id: 'until', title: 'Until', cell: ({ piece }) => exact(piece.until, 'now') },
  { id: 'valid', title: 'Proves until', cell: ({ piece }) => exact(piece.validUntil, '—') },
  { id: 'public', title: 'Key', cell: ({ piece }) => <UntrustedText text={piece.key} mono max={24} /> },
];

/** The keys of the drawing as a table. */
export function KeyTable({ keys, leftOut }: { keys: readonly KeyData[]; leftOut: number }) {
  const rows = keys.flatMap(({ keyId, pieces }) =>
    pieces.toReversed().map((piece): PieceRow => ({ id: `${keyId} ${piece.from}`, keyId, piece })),
  );
  return (
    <Panel title="Keys over time" note={leftOut > 0 ? `${leftOut} more keys are not shown` : undefined} flush>
      <DataTable
        caption="Keys over time"
        rows={rows}
        rowId={({ id }) => id}
        columns={KEY_COLUMNS}
        empty={<EmptyState title="No key" />}
      />
    </Panel>
  );
}

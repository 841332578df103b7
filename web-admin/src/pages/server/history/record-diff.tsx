import { NativeSelect } from '@mantine/core';
import { useState } from 'react';

import { useQuery } from '../../../api/use-query.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { QueryView } from '../../../ui/state/query-view.js';
import { DataTable } from '../../../ui/table/data-table.js';
import type { Column } from '../../../ui/table/table-types.js';
import { exactTime } from '../../../ui/text/time-words.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { diffQuery, type BandData, type ChangeData } from './history-query.js';
import styles from './history.module.css';

interface RecordDiffProps {
  name: string;
  bands: readonly BandData[];
  atTs: number;
}

const WORDS: Record<ChangeData['kind'], string> = {
  KEY_ADDED: 'key added',
  KEY_REMOVED: 'key removed',
  KEY_RETIRED: 'key moved to old_verify_keys',
  KEY_REINSTATED: 'key back in verify_keys',
  KEY_REPLACED: 'another key under the same ID',
  KEY_EXPIRY_MOVED: 'another expired_ts',
  VALIDITY_MOVED: 'another validity',
  SIGNATURE_ADDED: 'signature added',
  SIGNATURE_REMOVED: 'signature removed',
  SIGNATURE_CHANGED: 'another signature',
  MEMBER_CHANGED: 'another member',
};

/** Members whose values are times in milliseconds. */
const TIMES = new Set(['KEY_RETIRED', 'KEY_REINSTATED', 'KEY_EXPIRY_MOVED', 'VALIDITY_MOVED']);

const COLUMNS: readonly Column<ChangeData>[] = [
  { id: 'what', title: 'What', isMain: true, width: '220px', cell: ({ kind }) => WORDS[kind] },
  {
    id: 'subject',
    title: 'Of',
    cell: ({ subject }) => <UntrustedText text={subject} mono max={60} />,
  },
  { id: 'from', title: 'Before', isLong: true, cell: (row) => <Value row={row} text={row.from} /> },
  { id: 'to', title: 'After', isLong: true, cell: (row) => <Value row={row} text={row.to} /> },
];

function Value({ row: { kind }, text }: { row: ChangeData; text: string | null }) {
  if (text === null) return <span className={styles.small}>not there</span>;
  const exact = TIMES.has(kind) ? exactTime(Number(text)) : null;
  return exact === null ? <UntrustedText text={text} mono max={60} /> : <>{exact}</>;
}

/** Two records side by side; at first the one of the chosen instant and the one before it. */
export function RecordDiff({ name, bands, atTs }: RecordDiffProps) {
  const [chosen, setChosen] = useState<{ from: number | null; to: number | null }>({ from: null, to: null });
  const stored = bands.filter(({ sha256 }) => sha256 !== null);
  const records = stored.filter(
    ({ recordNumber }, index) => stored.findIndex((each) => each.recordNumber === recordNumber) === index,
  );
  const current = stored.findIndex(({ from }) => Date.parse(from) <= atTs);
  const to = chosen.to ?? stored[current]?.recordNumber ?? records[0]?.recordNumber ?? null;
  const before = stored.slice(current + 1).find(({ recordNumber }) => recordNumber !== to);
  const from = chosen.from ?? before?.recordNumber ?? null;
  return (
    <Panel title="Difference of two records">
      {records.length < 2 ? (
        <EmptyState isSmall title="Only one record is stored; there is nothing to compare it with." />
      ) : (
        <div className={styles.pickers}>
          <Picker
            label="Before"
            value={from}
            records={records}
            onChange={(id) => setChosen({ ...chosen, from: id })}
          />
          <Picker
            label="After"
            value={to}
            records={records}
            onChange={(id) => setChosen({ ...chosen, to: id })}
          />
        </div>
      )}
      {from !== null && to !== null && <Changes name={name} from={from} to={to} />}
    </Panel>
  );
}

interface PickerProps {
  label: string;
  value: number | null;
  records: readonly BandData[];
  onChange: (recordNumber: number | null) => void;
}

function Picker({ label, value, records, onChange }: PickerProps) {
  const data = records.map(({ recordNumber, firstSeenAt }) => ({
    value: String(recordNumber),
    label: `Record ${recordNumber}, stored ${exactTime(Date.parse(firstSeenAt ?? ''))}`,
  }));
  return (
    <NativeSelect
      label={label}
      value={value === null ? '' : String(value)}
      data={[{ value: '', label: 'Choose a record' }, ...data]}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? null : Number(currentTarget.value))
      }
    />
  );
}

function Changes({ name, from, to }: { name: string; from: number; to: number }) {
  const query = useQuery(diffQuery, { server: name, from, to });
  return (
    <QueryView query={query}>
      {({ recordDiff }) => (
        <DataTable
          caption="What differs"
          rows={recordDiff ?? []}
          rowId={({ kind, subject }) => `${kind} ${subject}`}
          columns={COLUMNS}
          empty={<EmptyState isSmall title="They say the same." />}
        />
      )}
    </QueryView>
  );
}

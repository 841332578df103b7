import { Stack } from '@mantine/core';

import { useQuery } from '../../api/use-query.js';
import { Chart } from '../../ui/chart/chart.js';
import { Panel } from '../../ui/page.js';
import { EmptyState, QueryView, StateBadge } from '../../ui/state.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { Column } from '../../ui/table/table-types.js';
import { Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { timesOf } from '../overview/overview-query.js';
import { previewRefusalsQuery, type RefusalData, type RefusalRow } from './previews-query.js';

const COLUMNS: readonly Column<RefusalRow>[] = [
  {
    title: 'Answer to clients',
    isMain: true,
    cell: ({ message, errcode }) => (
      <>
        <UntrustedText text={message} max={120} />
        <Note>{errcode}</Note>
      </>
    ),
  },
  {
    title: 'Status',
    width: 96,
    cell: ({ status }) => <StateBadge tone={status === 503 ? 'bad' : 'idle'}>{String(status)}</StateBadge>,
  },
  { title: 'Times', isNumber: true, width: 84, cell: ({ times }) => times.toLocaleString('en') },
  { title: 'First', width: 100, cell: ({ firstAt }) => <RelativeTime at={firstAt} /> },
  { title: 'Latest', width: 100, cell: ({ lastAt }) => <RelativeTime at={lastAt} /> },
  {
    title: 'Latest request',
    width: 180,
    cell: ({ requestId }) => <UntrustedText text={requestId} max={20} mono inside />,
  },
];

/** Requests that were refused before the previewer saw them, by reason, with the last day drawn. */
export function RefusedTab() {
  const query = useQuery(previewRefusalsQuery, {}, { live: 'list' });
  return <QueryView query={query}>{(data) => <Refused data={data} />}</QueryView>;
}

function Refused({ data: { previewRefusals, overview } }: { data: RefusalData }) {
  const [denied, unavailable] = overview.series;
  return (
    <Stack gap="sm">
      {denied !== undefined && unavailable !== undefined && denied.total + unavailable.total > 0 && (
        <Panel title="Refused before fetching" note="last day, all instances">
          <Chart
            times={timesOf(denied)}
            lines={[
              { label: 'Denied (401, 403)', values: denied.values },
              { label: 'Unavailable (503)', values: unavailable.values },
            ]}
            label={`Denied: ${denied.total.toLocaleString('en')}, unavailable: ${unavailable.total.toLocaleString('en')}`}
          />
        </Panel>
      )}
      {previewRefusals.length === 0 ? (
        <EmptyState title="No refused requests">
          Requests without a valid access token, and those whose token could not be checked, are listed here
          by reason.
        </EmptyState>
      ) : (
        <Panel flush>
          <DataTable
            caption="Refused requests by reason"
            rows={previewRefusals}
            rowId={({ status, errcode, message }) => `${status} ${errcode} ${message}`}
            columns={COLUMNS}
          />
        </Panel>
      )}
      <Note>Each instance counts since its start. The log lists every request with its client.</Note>
    </Stack>
  );
}

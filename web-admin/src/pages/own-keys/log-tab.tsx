import { Alert, Stack, Text } from '@mantine/core';

import { useQuery } from '../../api/use-query.js';
import { graphql } from '../../gql/gql.js';
import type { LogQuery } from '../../gql/graphql.js';
import { Fields, Panel } from '../../ui/page.js';
import { EmptyState, QueryView, StateBadge } from '../../ui/state.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { Column } from '../../ui/table/table-types.js';
import { counted } from '../../ui/text/number-words.js';
import { Copied, Note, RelativeTime, Snippet, UntrustedText } from '../../ui/text/text.js';

const logQuery = graphql(`
  query Log {
    log {
      origin
      verifierKey
      size
      checkpoint
      checkpointAt
      mergeDelayMs
      maximumMergeDelayMs
      waiting
      damage
      quorum
      witnessedSize
      witnesses {
        name
        verifierKey
        url
        lastCosignedAt
        lastCosignedSize
        failures
        lastError
        lastErrorAt
      }
    }
  }
`);

type LogData = NonNullable<LogQuery['log']>;
type WitnessData = LogData['witnesses'][number];

const entries = (count: number) => counted(count, 'entry', 'entries');
const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;

/** The log of the records this notary vouches for: how others follow it, and its witnesses. */
export function LogTab() {
  const query = useQuery(logQuery, {}, { live: 'view' });
  return (
    <QueryView query={query}>
      {({ log }) =>
        log === null ? (
          <EmptyState title="The log is off">
            Set <code>log.enabled</code> to true in the configuration.
          </EmptyState>
        ) : (
          <Stack gap="sm">
            <Standing log={log} />
            <Follow log={log} />
            <Witnesses log={log} />
          </Stack>
        )
      }
    </QueryView>
  );
}

function Standing({ log }: { log: LogData }) {
  const { size, checkpointAt, mergeDelayMs, maximumMergeDelayMs, waiting, damage, checkpoint } = log;
  const isLate = mergeDelayMs > maximumMergeDelayMs;
  return (
    <Panel
      title={entries(size)}
      note={
        <StateBadge tone={damage !== null ? 'bad' : isLate ? 'warn' : 'ok'}>
          {damage !== null ? 'stopped' : isLate ? 'behind' : 'up to date'}
        </StateBadge>
      }
    >
      <Stack gap="sm">
        {damage !== null && (
          <Alert color="bad">
            The log is damaged and has been stopped: {damage}. Key queries are not affected.
          </Alert>
        )}
        <Fields
          items={[
            ['Last signed', <RelativeTime key="" at={checkpointAt} />],
            ['Pending entries', entries(waiting)],
            ['Merge delay', `${seconds(mergeDelayMs)} (limit ${seconds(maximumMergeDelayMs)})`],
          ]}
        />
        <Snippet text={checkpoint} what="checkpoint" />
      </Stack>
    </Panel>
  );
}

/** How others follow it; they get the key from its operator, never from the log. */
function Follow({ log: { origin, verifierKey } }: { log: LogData }) {
  const line = `tlog verify 'https://${origin}' --key '${verifierKey}' --state log.json --watch NAMES`;
  return (
    <Panel title="Audit this log">
      <Stack gap="sm">
        <Fields
          items={[
            ['Origin', <Copied key="" text={origin} what="origin" />],
            ['Verifier key', <Copied key="" text={verifierKey} what="verifier key" />],
          ]}
        />
        <Text c="dimmed">
          Publish this key somewhere only you control. Anyone can then audit the log with packages/tlog:
        </Text>
        <Snippet text={line} what="line to follow the log" />
      </Stack>
    </Panel>
  );
}

const COLUMNS: readonly Column<WitnessData>[] = [
  {
    title: 'Witness',
    isMain: true,
    cell: ({ name, url, verifierKey }) => (
      <>
        <UntrustedText text={name} max={48} mono />
        <Note>
          <UntrustedText text={url} max={60} mono />
        </Note>
        <Note>
          <Copied text={verifierKey} what={`key of ${name}`} />
        </Note>
      </>
    ),
  },
  {
    title: 'State',
    width: 130,
    cell: ({ failures, lastCosignedAt }) => {
      if (failures > 0) return <StateBadge tone="warn">did not cosign</StateBadge>;
      if (lastCosignedAt === null) return <StateBadge tone="idle">not asked yet</StateBadge>;
      return <StateBadge tone="ok">cosigns</StateBadge>;
    },
  },
  {
    title: 'Last cosignature',
    width: 160,
    cell: ({ lastCosignedAt, lastCosignedSize }) => (
      <>
        <RelativeTime at={lastCosignedAt} none="none yet" />
        {lastCosignedSize !== null && <Note>{entries(lastCosignedSize)}</Note>}
      </>
    ),
  },
  {
    title: 'Last failure',
    cell: ({ lastError, lastErrorAt }) =>
      lastError !== null && (
        <>
          <RelativeTime at={lastErrorAt} />: <UntrustedText text={lastError} />
        </>
      ),
  },
];

/** The witnesses that cosign its checkpoints, and the result of the last offer to each. */
function Witnesses({ log: { witnesses, quorum, size, witnessedSize } }: { log: LogData }) {
  if (witnesses.length === 0)
    return (
      <Panel title="Witnesses">
        <EmptyState title="No witnesses yet" isSmall>
          A witness cosigns checkpoints, so that nobody can be shown a different log: set{' '}
          <code>log.witnesses</code> in the configuration.
        </EmptyState>
      </Panel>
    );
  const isWitnessed = witnessedSize === size;
  return (
    <Panel
      title="Witnesses"
      note={
        <>
          <StateBadge tone={isWitnessed ? 'ok' : 'warn'}>
            {isWitnessed ? 'all entries witnessed' : `${entries(witnessedSize)} witnessed`}
          </StateBadge>{' '}
          A checkpoint with {counted(quorum, 'cosignature')} counts as witnessed.
        </>
      }
      flush
    >
      <DataTable
        caption="Witnesses"
        rows={witnesses}
        rowId={({ verifierKey }) => verifierKey}
        columns={COLUMNS}
      />
    </Panel>
  );
}

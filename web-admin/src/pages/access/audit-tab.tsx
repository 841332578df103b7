import { Anchor, Stack, Text } from '@mantine/core';
import { useState } from 'react';

import { isRecord } from '../../api/is-record.js';
import { useQuery } from '../../api/use-query.js';
import type { AuditAction, AuditFilter } from '../../gql/graphql.js';
import { useHold } from '../../live/live-context.js';
import { DetailDrawer } from '../../ui/detail-drawer.js';
import { choiceField, textField, TIME, timesOf, type Field, type FilterOf } from '../../ui/filter/fields.js';
import { FilterBar } from '../../ui/filter/filter-bar.js';
import { Fields } from '../../ui/page.js';
import { EmptyState, StateOf, type Tone } from '../../ui/state.js';
import { useListView } from '../../ui/table/list-view.js';
import { List } from '../../ui/table/list.js';
import type { Column } from '../../ui/table/table-types.js';
import { Copied, JsonView, Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { ValueDiff } from '../../ui/text/value-diff.js';
import { choice } from '../../url/params.js';
import { auditQuery, METHOD_WORDS, type AuditRow } from './access-query.js';

/** `DELETE_PREVIEWS` as commands name it: `deletePreviews`. */
function operationOf(action: string): string {
  return action.toLowerCase().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const show: Field<'changes' | 'all'> = {
  param: choice(['changes', 'all'], 'changes'),
  words: () => null,
  draw: (value, set) => ({
    chips: {
      label: 'Kind',
      value,
      options: [{ value: 'changes', label: 'Changes only' }],
      onChange: (next) => set(next === null ? 'all' : 'changes'),
    },
  }),
};
const FIELDS = {
  show,
  outcome: choiceField('Outcome', ['OK', 'FAILED', 'CANCELLED'], {
    OK: 'Ok',
    FAILED: 'Failed',
    CANCELLED: 'Cancelled',
  }),
  actor: textField((actor) => `by ${actor}`),
  action: {
    ...textField(operationOf),
    read: (typed: string) => typed.replaceAll(/[A-Z]/g, '_$&').toUpperCase(),
  },
  ...TIME,
};
const SORTS = ['AT'] as const;
const TONES: Readonly<Partial<Record<AuditRow['outcome'], readonly [Tone, string]>>> = {
  OK: ['ok', 'ok'],
  FAILED: ['bad', 'failed'],
  CANCELLED: ['idle', 'cancelled'],
};

function filterOf(filter: FilterOf<typeof FIELDS>): AuditFilter {
  const { q, actor, action, outcome, show: shown } = filter;
  return {
    search: q || null,
    actor: actor || null,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server checks it
    action: action === '' ? null : (action as AuditAction),
    outcome,
    // A named operation is wanted, whatever it does.
    changesOnly: shown === 'changes' && action === '',
    ...timesOf(filter),
  };
}

/** What was attempted, as far as it did not come about. */
function summaryOf({ summary, outcome }: AuditRow): string {
  return outcome === 'FAILED' ? `Tried: ${summary}` : summary;
}

function columnsFor(onShow: (row: AuditRow) => void): readonly Column<AuditRow>[] {
  return [
    { title: 'Time', width: 110, cell: ({ at }) => <RelativeTime at={at} /> },
    {
      title: 'What',
      isMain: true,
      cell: (row) => (
        <Anchor component="button" type="button" inherit ta="start" c="inherit" onClick={() => onShow(row)}>
          <UntrustedText text={summaryOf(row)} max={120} inside />
        </Anchor>
      ),
    },
    {
      title: 'Who',
      width: 210,
      cell: ({ actor, role, method }) => (
        <>
          <UntrustedText text={actor} max={36} />
          <Note>
            {role.toLowerCase()}, {METHOD_WORDS[method]}
          </Note>
        </>
      ),
    },
    { title: 'Outcome', width: 100, cell: ({ outcome }) => <StateOf state={outcome} of={TONES} /> },
    { title: 'From', width: 140, cell: ({ address }) => address ?? '—' },
  ];
}

/** What operators changed: who, what, when, from where, and how it ended. */
export function AuditTab() {
  const view = useListView(FIELDS, SORTS, '-AT');
  const filter = filterOf(view.filter);
  const [shown, setShown] = useState<AuditRow | null>(null);
  const query = useQuery(auditQuery, { ...view.forward, filter }, { live: 'list' });
  return (
    <>
      <FilterBar view={view} placeholder="Search (actor:, action:)" />
      <List
        view={view}
        query={query}
        of={({ auditEvents }) => auditEvents}
        hasBack={false}
        caption="Actions of operators"
        columns={columnsFor(setShown)}
        actions={(row) => [
          { label: 'Show entry', onSelect: () => setShown(row) },
          { label: 'Only this person', onSelect: () => view.setFilter({ actor: row.actor }) },
          { label: 'Only this kind', onSelect: () => view.setFilter({ action: row.action }) },
        ]}
        empty={
          <EmptyState title={view.isFiltered ? 'No entry matches' : 'No changes yet'}>
            {view.isFiltered
              ? 'Remove a filter to see more.'
              : 'Changes by operators appear here. Turn off “Changes only” to include sign-ins and tries.'}
          </EmptyState>
        }
      />
      <EventDrawer event={shown} onClose={() => setShown(null)} />
    </>
  );
}

/** Everything the table knows about one action. */
function EventDrawer({ event, onClose }: { event: AuditRow | null; onClose: () => void }) {
  useHold(event !== null);
  return (
    <DetailDrawer title="Audit entry" opened={event !== null} onClose={onClose}>
      {event !== null && (
        <Stack gap="sm">
          <EventFields event={event} />
          <Changes detail={event.detail} />
          {event.detail !== null && <JsonView value={event.detail} what="Details" />}
        </Stack>
      )}
    </DetailDrawer>
  );
}

/** What was changed from what to what, as far as the entry says. */
function Changes({ detail }: { detail: unknown }) {
  const changes = changesOf(detail);
  if (changes.length === 0) return null;
  return (
    <ul aria-label="What changed">
      {changes.map(({ path, from, to, waits }) => (
        <Text key={path} component="li">
          <strong>{path}</strong>
          {waits && ' (takes effect after restart)'}
          <br />
          <ValueDiff from={from} to={to} />
        </Text>
      ))}
    </ul>
  );
}

function EventFields({ event }: { event: AuditRow }) {
  const { action, at, actor, role, method, outcome, address, targetType, targetId, requestId } = event;
  return (
    <Fields
      items={[
        ['What', <UntrustedText key="" text={summaryOf(event)} max={400} />],
        ['Operation', <code key="">{operationOf(action)}</code>],
        ['Time', <RelativeTime key="" at={at} />],
        ['Who', <UntrustedText key="" text={actor} max={200} />],
        ['Role', role.toLowerCase()],
        ['Signed in by', METHOD_WORDS[method]],
        ['Outcome', outcome.toLowerCase()],
        ['From', address ?? '—'],
        [
          'Target',
          targetId === null ? (
            '—'
          ) : (
            <UntrustedText key="" text={`${targetType ?? ''} ${targetId}`.trim()} max={120} />
          ),
        ],
        ['Request', <Copied key="" text={requestId} what="request id" />],
      ]}
    />
  );
}

/** One thing that was changed; what was not set is null. */
interface Change {
  path: string;
  from: unknown;
  to: unknown;
  /** A restart is needed. */
  waits: boolean;
}

/** Settings that a reload changed, as the detail of an entry says. */
function changesOf(detail: unknown): readonly Change[] {
  return isRecord(detail) && Array.isArray(detail.changes) ? detail.changes.flatMap(settingChange) : [];
}

function settingChange(change: unknown): Change[] {
  if (!isRecord(change) || typeof change.path !== 'string') return [];
  const { path, from = null, to = null, waits } = change;
  return [{ path, from, to, waits: waits === true }];
}

import { Button, Group, NativeSelect, Paper, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';

import type { RequestError } from '../../api/request-error.js';
import { useAnnounce } from '../../live/announcer.js';
import { useHeldList } from '../../live/use-held-list.js';
import { useCan } from '../../session/viewer-context.js';
import type { Fields } from '../filter/fields.js';
import { Panel } from '../page.js';
import { ErrorState, SkeletonLines } from '../state.js';
import { counted } from '../text/number-words.js';
import { DataTable } from './data-table.js';
import { useKeptFocus } from './kept-focus.js';
import type { ListView } from './list-view.js';
import { useSelection, type Selection } from './selection.js';
import type { BulkAction, Column, DataTableProps, RowAction } from './table-types.js';

/** One page of a list. */
export interface ListPage<Row> {
  nodes: readonly Row[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor?: string | null;
    endCursor?: string | null;
  };
  totalCount: number;
}

export interface ListProps<Row extends { id: string }, Data, F extends Fields> {
  view: ListView<string, F>;
  query: UseQueryResult<Data, RequestError>;
  /** Undefined: what the list belongs to is gone. */
  of: (data: Data) => ListPage<Row> | undefined;
  /** False for lists that only go forward. */
  hasBack?: boolean;
  caption: string;
  columns: readonly Column<Row>[];
  actions?: (row: Row) => readonly RowAction[];
  bulk?: readonly BulkAction[];
  /** What a row is, with an s for several; for "all 1,204 previews that match". */
  noun?: string;
  /** Drawn when there is no row; says what to do next. */
  empty: ReactNode;
}

const NOTHING: readonly never[] = [];

/** A list of the server with its order, pages, ticks and menus. Rows keep their places until newer ones are asked for. */
export function List<Row extends { id: string }, Data, F extends Fields>(props: ListProps<Row, Data, F>) {
  const { query, view, of, caption, bulk = NOTHING, noun = 'row', hasBack = true } = props;
  const can = useCan();
  const holder = useKeptFocus();
  const held = useHeldList(query.data === undefined ? undefined : of(query.data), {
    key: view.key,
    idsOf: ({ nodes }) => nodes.map(({ id }) => id),
    isPlaceholder: query.isPlaceholderData,
  });
  const selection = useSelection(JSON.stringify(view.filter));
  const list = held.shown;
  if (list === undefined && query.error)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (list === undefined) return <SkeletonLines count={8} />;
  const mayTick = bulk.some(({ needs }) => needs === undefined || can(needs));
  const table: DataTableProps<Row> = {
    caption,
    rows: list.nodes,
    rowId: ({ id }) => id,
    columns: props.columns,
    sort: { ...view.sort, onSort: view.sortBy },
    selection: mayTick ? selection : undefined,
    ...(props.actions && { actions: props.actions }),
  };
  const isEmpty = list.nodes.length === 0;
  return (
    <Panel flush>
      <div
        ref={holder}
        tabIndex={-1}
        role="group"
        aria-label={caption}
        data-list
        className="v-list"
        data-stale={query.isPlaceholderData || undefined}
      >
        <NewerBar count={held.newer} onShow={held.show} />
        {isEmpty ? props.empty : <DataTable {...table} />}
        {(!isEmpty || list.pageInfo.hasPreviousPage) && (
          <Pager {...{ view, list, hasBack }} isStale={query.isPlaceholderData} />
        )}
        {mayTick && <BulkBar selection={selection} actions={bulk} allThatMatch={allWords(list, noun)} />}
      </div>
    </Panel>
  );
}

/** "3 newer – show": rows do not move under the pointer. */
function NewerBar({ count, onShow }: { count: number; onShow: () => void }) {
  const announce = useAnnounce();
  useEffect(() => {
    if (count > 0) announce(`${count} newer`);
  }, [count, announce]);
  if (count === 0) return null;
  return (
    <Button fullWidth variant="light" radius={0} onClick={onShow}>
      {count} newer – show
    </Button>
  );
}

/** "all 1,204 previews that match"; null when one page shows all of them. */
function allWords({ nodes, totalCount }: ListPage<unknown>, noun: string): string | null {
  return totalCount <= nodes.length ? null : `all ${counted(totalCount, noun)} that match`;
}

interface BulkBarProps {
  selection: Selection;
  actions: readonly BulkAction[];
  allThatMatch: string | null;
}

/** Rises when something is ticked: how many, all that match, the actions. */
function BulkBar({ selection, actions, allThatMatch }: BulkBarProps) {
  const can = useCan();
  const { ids, all, count, clear } = selection;
  if (count === 0 && !all) return null;
  const allowsAll = actions.some((action) => action.allowsAll);
  const allowed = actions.filter(
    (action) => (action.needs === undefined || can(action.needs)) && (!all || action.allowsAll),
  );
  return (
    <Paper className="v-bulk" withBorder p="xs" m="sm" role="region" aria-label="Actions on selected rows">
      <Group gap="xs">
        <strong>{all ? allThatMatch : `${count} ticked`}</strong>
        {!all && allowsAll && allThatMatch !== null && (
          <Button variant="subtle" onClick={selection.selectAll}>
            Tick {allThatMatch}
          </Button>
        )}
        {allowed.map(({ label, danger, onSelect }) => (
          <Button
            key={label}
            {...(danger ? { variant: 'outline', color: 'bad' } : {})}
            onClick={() => onSelect(all ? null : [...ids], clear)}
          >
            {label}
          </Button>
        ))}
        <Button variant="subtle" onClick={clear}>
          Clear
        </Button>
      </Group>
    </Paper>
  );
}

/** The server counts no further. */
const COUNTED_ROWS = 10_000;
/** Rows per page unless somebody chooses. */
const DEFAULT_SIZE = 25;

interface PagerProps {
  view: ListView<string, Fields>;
  list: ListPage<unknown>;
  hasBack: boolean;
  /** The rows in view are not those of `view` yet. */
  isStale: boolean;
}

/** Where in the list one is and the way on; pages are steps of the browser's history. */
function Pager({ view, list, hasBack, isStale }: PagerProps) {
  const { startCursor, endCursor, hasNextPage, hasPreviousPage } = list.pageInfo;
  const canBack = !view.isFirstPage && (hasPreviousPage || !hasBack || view.index > 0);
  const back = () => (hasBack && startCursor ? view.goBack(startCursor) : view.goFirst());
  // A cursor of rows that are going away would lead to the same page twice. Not disabled: that drops the focus.
  const step = (go: () => void) => (isStale ? undefined : go());
  const isWhole = !canBack && !hasNextPage && view.size === DEFAULT_SIZE;
  return (
    <Group component="nav" gap="xs" p="xs" aria-label="Pages of the list">
      <Text c="dimmed" mr="auto">
        {isStale ? 'Loading…' : rangeWords(view, list)}
      </Text>
      {!isWhole && (
        <>
          <NativeSelect
            aria-label="Rows per page"
            value={String(view.size)}
            data={['25', '50', '100'].map((value) => ({ value, label: `${value} rows` }))}
            onChange={(event) => view.setSize(Number(event.currentTarget.value))}
          />
          <Button disabled={!canBack} onClick={() => step(back)}>
            {hasBack ? 'Back' : 'First page'}
          </Button>
          <Button
            disabled={!hasNextPage || !endCursor}
            onClick={() => step(() => endCursor && view.goNext(endCursor))}
          >
            Next
          </Button>
        </>
      )}
    </Group>
  );
}

function rangeWords(
  { index, size }: ListView<string, Fields>,
  { nodes, totalCount }: ListPage<unknown>,
): string {
  const from = index * size + 1;
  const last = from + nodes.length - 1;
  const range = nodes.length === 0 ? '0' : `${from.toLocaleString('en')}–${last.toLocaleString('en')}`;
  return `${range} of ${totalCount.toLocaleString('en')}${totalCount >= COUNTED_ROWS ? '+' : ''}`;
}

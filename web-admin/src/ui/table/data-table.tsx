import {
  ActionIcon,
  Box,
  Checkbox,
  Group,
  Menu,
  Stack,
  Table,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Table.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/Menu.css';
import { useRef } from 'react';
import { Link } from 'wouter';

import { useCan } from '../../session/viewer-context.js';
import { Icon } from '../icons.js';
import { Fields } from '../page.js';
import type { Column, DataTableProps, RowAction } from './table-types.js';

/** Rows of one kind: a table on wide screens, cards with the same actions below 768 px. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const isNarrow = useMediaQuery('(max-width: 767px)', undefined, { getInitialValueInEffect: false });
  return isNarrow ? <CardList {...props} /> : <WideTable {...props} />;
}

function WideTable<Row>(props: DataTableProps<Row>) {
  const { caption, rows, rowId, columns, actions, selection, sort } = props;
  const ids = rows.map((row) => rowId(row));
  const ticked = selection === undefined ? 0 : ids.filter((id) => selection.ids.has(id)).length;
  return (
    <Box className="v-scroll">
      <Table highlightOnHover aria-label={caption}>
        <Table.Thead>
          <Table.Tr>
            {selection !== undefined && (
              <Table.Th w={38}>
                <Checkbox
                  aria-label="Select all rows on this page"
                  checked={ticked === ids.length}
                  indeterminate={ticked > 0 && ticked < ids.length}
                  onChange={(event) => selection.setMany(ids, event.currentTarget.checked)}
                />
              </Table.Th>
            )}
            {columns.map((column) => (
              <HeadCell key={column.title} column={column} sort={sort} />
            ))}
            {actions !== undefined && (
              <Table.Th w={52}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={rowId(row)} {...(isTicked(row, props) ? { bg: 'var(--v-accent-soft)' } : {})}>
              {selection !== undefined && (
                <Table.Td>
                  <Tick row={row} table={props} />
                </Table.Td>
              )}
              {columns.map(({ title, cell, isNumber, isMain }) => (
                <Table.Td key={title} ta={isNumber ? 'right' : undefined} fw={isMain ? 550 : undefined}>
                  {cell(row)}
                </Table.Td>
              ))}
              {actions !== undefined && (
                <Table.Td ta="right">
                  <RowMenu actions={actions(row)} />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

function isTicked<Row>(row: Row, { selection, rowId }: DataTableProps<Row>): boolean {
  return selection !== undefined && (selection.all || selection.ids.has(rowId(row)));
}

function Tick<Row>({ row, table }: { row: Row; table: DataTableProps<Row> }) {
  const toggle = () => table.selection?.toggle(table.rowId(row));
  return <Checkbox aria-label="Select this row" checked={isTicked(row, table)} onChange={toggle} />;
}

function HeadCell<Row>({ column, sort }: { column: Column<Row>; sort: DataTableProps<Row>['sort'] }) {
  const { title, sort: field, isNumber, width } = column;
  const look = { ta: isNumber ? ('right' as const) : ('left' as const), w: width };
  if (field === undefined || sort === undefined) return <Table.Th {...look}>{title}</Table.Th>;
  const order = sort.field !== field ? 'none' : sort.direction === 'ASC' ? 'ascending' : 'descending';
  return (
    <Table.Th {...look} aria-sort={order}>
      <UnstyledButton fz="inherit" fw="inherit" mih={24} onClick={() => sort.onSort(field)}>
        {title}
        <span aria-hidden="true">{order === 'ascending' ? ' ↑' : order === 'descending' ? ' ↓' : ''}</span>
      </UnstyledButton>
    </Table.Th>
  );
}

/** The phone form: one card per row, every column as a line, the same menu. */
function CardList<Row>(props: DataTableProps<Row>) {
  const { caption, rows, rowId, columns, actions, selection } = props;
  const main = columns.find((column) => column.isMain) ?? columns[0];
  const others = columns.filter((column) => column !== main);
  return (
    <Box component="ul" aria-label={caption}>
      {rows.map((row) => (
        <Stack
          key={rowId(row)}
          component="li"
          gap="xs"
          p="sm"
          className="v-card"
          {...(isTicked(row, props) ? { bg: 'var(--v-accent-soft)' } : {})}
        >
          <Group wrap="nowrap" gap="xs">
            {selection !== undefined && <Tick row={row} table={props} />}
            <Box flex={1} miw={0} fw={600}>
              {main?.cell(row)}
            </Box>
            {actions !== undefined && <RowMenu actions={actions(row)} />}
          </Group>
          <Fields items={others.map(({ title, cell }) => [title, cell(row)])} />
        </Stack>
      ))}
    </Box>
  );
}

/** The menu of one row; draws nothing when the viewer may do none of it. */
export function RowMenu({ actions, label = 'Actions' }: { actions: readonly RowAction[]; label?: string }) {
  const can = useCan();
  const button = useRef<HTMLButtonElement>(null);
  const allowed = actions.filter(({ needs }) => needs === undefined || can(needs));
  if (allowed.length === 0) return null;
  return (
    <Menu width={220}>
      <Menu.Target>
        <ActionIcon ref={button} aria-label={label}>
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {allowed.map(({ label: name, hint, href, danger, onSelect }) => {
          const words = (
            <>
              {name}
              {hint !== undefined && (
                <Text size="xs" c="dimmed">
                  {hint}
                </Text>
              )}
            </>
          );
          if (href !== undefined)
            return (
              <Menu.Item key={name} component={Link} href={href}>
                {words}
              </Menu.Item>
            );
          // A dialog gives the focus back to what had it when it opened: the item is gone by then.
          const select = () => {
            button.current?.focus();
            onSelect?.();
          };
          return (
            <Menu.Item key={name} {...(danger ? { c: 'var(--v-bad)' } : {})} onClick={select}>
              {words}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}

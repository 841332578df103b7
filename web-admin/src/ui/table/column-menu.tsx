import { Button, Checkbox, Popover } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Icon } from '../icons.js';

import type { Column } from './table-types.js';
import styles from './table.module.css';

interface ColumnChoice<Row> {
  shown: readonly Column<Row>[];
  isShown: (id: string) => boolean;
  toggle: (id: string) => void;
}

/** Which columns of a list somebody wants to see; their browser remembers it. `caption` names the list. */
export function useColumns<Row>(caption: string, columns: readonly Column<Row>[]): ColumnChoice<Row> {
  const [hidden, setHidden] = useLocalStorage<readonly string[]>({
    key: `vidimus.hidden-columns.${caption}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const isShown = (id: string) => !hidden.includes(id);
  return {
    shown: columns.filter(({ id, isMain }) => isMain === true || isShown(id)),
    isShown,
    toggle: (id) => setHidden(isShown(id) ? [...hidden, id] : hidden.filter((one) => one !== id)),
  };
}

interface ColumnMenuProps<Row> extends Pick<ColumnChoice<Row>, 'isShown' | 'toggle'> {
  columns: readonly Column<Row>[];
}

/** Shows and hides columns; the one that names the row stays. */
export function ColumnMenu<Row>({ columns, isShown, toggle }: ColumnMenuProps<Row>) {
  const free = columns.filter(({ isMain }) => isMain !== true);
  return (
    <Popover position="top-end" trapFocus returnFocus withRoles>
      <Popover.Target>
        <Button leftSection={<Icon name="columns" size={14} />}>Columns</Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.columns}>
          {free.map(({ id, title }) => (
            <Checkbox key={id} label={title} checked={isShown(id)} onChange={() => toggle(id)} />
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

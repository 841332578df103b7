import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { Link } from 'wouter';

import { useCan } from '../../session/viewer-context.js';
import type { RowAction } from './table-types.js';
import styles from './table.module.css';

/** The menu of one row; draws nothing when the viewer may do none of it. */
export function RowMenu({ actions, label = 'Actions' }: { actions: readonly RowAction[]; label?: string }) {
  const can = useCan();
  const allowed = actions.filter(({ needs }) => needs === undefined || can(needs));
  if (allowed.length === 0) return null;
  return (
    <Menu width={220}>
      <Menu.Target>
        <ActionIcon aria-label={label}>
          <IconDots size={16} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {allowed.map((action) => (
          <RowMenuItem key={action.label} action={action} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function RowMenuItem({ action }: { action: RowAction }) {
  const words = (
    <>
      {action.label}
      {action.hint !== undefined && <span className={styles.menuHint}>{action.hint}</span>}
    </>
  );
  if (action.href !== undefined)
    return (
      <Menu.Item component={Link} href={action.href}>
        {words}
      </Menu.Item>
    );
  return (
    <Menu.Item {...(action.danger ? { color: 'var(--v-bad)' } : {})} onClick={action.onSelect}>
      {words}
    </Menu.Item>
  );
}

import { ActionIcon, Menu } from '@mantine/core';
import { Icon } from '../icons.js';
import { useRef } from 'react';
import { Link } from 'wouter';

import { useCan } from '../../session/viewer-context.js';
import type { RowAction } from './table-types.js';
import styles from './table.module.css';

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
          <Icon name="dots" size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {allowed.map((action) => (
          <RowMenuItem key={action.label} action={action} onLeave={() => button.current?.focus()} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** A dialog gives the focus back to what had it when it opened: the menu's button, for the item is gone by then. */
function RowMenuItem({ action, onLeave }: { action: RowAction; onLeave: () => void }) {
  const select = () => {
    onLeave();
    action.onSelect?.();
  };
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
    <Menu.Item {...(action.danger ? { color: 'var(--v-bad)' } : {})} onClick={select}>
      {words}
    </Menu.Item>
  );
}

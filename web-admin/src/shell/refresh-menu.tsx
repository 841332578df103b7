import { Menu } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';

import { INTERVALS, useLive } from '../live/live-context.js';
import styles from './shell.module.css';

/** How often pages refresh themselves; kept in this browser. */
export function RefreshMenu() {
  const { seconds, setSeconds } = useLive();
  const client = useQueryClient();
  const words = (value: number) => (value === 0 ? 'Off' : `Every ${value} s`);
  return (
    <Menu width={190}>
      <Menu.Target>
        <button type="button" className={styles.tool} aria-label={`Live refresh: ${words(seconds)}`}>
          <span className={styles.live} data-off={seconds === 0 || undefined} />
          <span className={styles.interval}>{seconds === 0 ? 'Live off' : `${seconds} s`}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Live refresh</Menu.Label>
        {INTERVALS.map((value) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={value === seconds}
            rightSection={value === seconds ? <IconCheck size={14} /> : null}
            onClick={() => setSeconds(value)}
          >
            {words(value)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item rightSection={<kbd>r</kbd>} onClick={() => void client.refetchQueries({ type: 'active' })}>
          Refresh now
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

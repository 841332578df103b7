import { Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';

import { INTERVALS, useLive } from '../live/live-context.js';
import { useAwaySince } from '../live/use-away.js';
import styles from './shell.module.css';

/** How often pages refresh themselves; kept in this browser. */
export function RefreshMenu() {
  const { seconds, setSeconds } = useLive();
  const client = useQueryClient();
  const isAway = useAwaySince() !== null;
  const words = (value: number) => (value === 0 ? 'Off' : `Every ${value} s`);
  return (
    <Menu width={190}>
      <Menu.Target>
        <button
          type="button"
          className={styles.tool}
          aria-label={isAway ? 'Live refresh: No answer' : `Live refresh: ${words(seconds)}`}
        >
          <span
            className={styles.live}
            data-off={(seconds === 0 && !isAway) || undefined}
            data-away={isAway || undefined}
          />
          <span className={styles.interval}>
            {isAway ? 'No answer' : seconds === 0 ? 'Live off' : `${seconds} s`}
          </span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Live refresh</Menu.Label>
        <Menu.RadioGroup value={String(seconds)} onChange={(value) => setSeconds(Number(value))}>
          {INTERVALS.map((value) => (
            <Menu.RadioItem key={value} value={String(value)} closeMenuOnClick>
              {words(value)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item rightSection={<kbd>r</kbd>} onClick={() => void client.refetchQueries({ type: 'active' })}>
          Refresh now
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

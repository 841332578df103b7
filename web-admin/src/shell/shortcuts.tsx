import { Modal } from '@mantine/core';
import { useState } from 'react';

import { useHold } from '../live/live-context.js';
import { useViewer } from '../session/viewer-context.js';
import styles from '../ui/dialog/dialog.module.css';
import { isAtLeast, NAV_ITEMS } from './nav-items.js';
import { useShortcutKeys } from './use-shortcut-keys.js';

/** The keys of useShortcutKeys, and the sheet that lists them. */
export function Shortcuts() {
  const { role } = useViewer();
  const [sheet, setSheet] = useState(false);
  const targets = NAV_ITEMS.filter((item) => isAtLeast(role, item.role));
  useHold(sheet);
  useShortcutKeys({ targets, onHelp: () => setSheet(true) });
  const lines = [
    ['Ctrl K', 'Go to a server, address, request, …'],
    ['/', 'Search this page'],
    ['r', 'Refresh now'],
    ...targets.map(({ key, label }) => [`g ${key}`, label]),
    ['?', 'This sheet'],
  ];
  return (
    <Modal opened={sheet} onClose={() => setSheet(false)} title="Keyboard">
      <dl className={styles.keys}>
        {lines.map(([keys, words]) => (
          <div key={keys} style={{ display: 'contents' }}>
            <dt>
              {keys?.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}

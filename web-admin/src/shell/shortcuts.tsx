import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';

import { useHold } from '../live/live-context.js';
import { useAnnounce } from '../live/announcer.js';
import { useViewer } from '../session/viewer-context.js';
import styles from '../ui/dialog/dialog.module.css';
import { isAtLeast, NAV_GROUPS } from './nav-items.js';

const SECOND_KEY_MS = 1_200;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function focusSearch(): void {
  document.querySelector<HTMLInputElement>('[data-page-search]')?.focus();
}

/** `/` search, `r` refresh, `g` and a letter for a page, `?` this sheet. Nothing fires while typing. */
export function Shortcuts() {
  const { role } = useViewer();
  const [sheet, setSheet] = useState(false);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const announce = useAnnounce();
  const firstAt = useRef(0);
  useHold(sheet);
  const targets = NAV_GROUPS.flatMap(({ items }) => items).filter(
    (item) => item.key && isAtLeast(role, item.role),
  );

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      const isSecond = event.timeStamp - firstAt.current < SECOND_KEY_MS;
      firstAt.current = 0;
      const target = isSecond ? targets.find((item) => item.key === event.key) : undefined;
      if (target !== undefined) navigate(target.href);
      else if (event.key === 'g') firstAt.current = event.timeStamp;
      else if (event.key === '/') focusSearch();
      else if (event.key === '?') setSheet(true);
      else if (event.key === 'r') {
        void client.refetchQueries({ type: 'active' });
        announce('Refreshing');
      } else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [targets, navigate, client, announce]);

  const lines = [
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

import { Kbd, Modal, Table } from '@mantine/core';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Modal.css';
import '@mantine/core/styles/Table.css';
import '@mantine/core/styles/Kbd.css';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';

import { useAnnounce } from '../live/announcer.js';
import { useHold } from '../live/live-context.js';
import { useViewer } from '../session/viewer-context.js';
import { isAtLeast, NAV_ITEMS, type NavItem } from './nav-items.js';

const SECOND_KEY_MS = 1_200;

/** `/` search, `r` refresh, `g` and a letter for a page, `?` for the sheet that lists them. */
export function Shortcuts() {
  const { role } = useViewer();
  const [isOpen, setOpen] = useState(false);
  const targets = NAV_ITEMS.filter((item) => isAtLeast(role, item.role));
  useHold(isOpen);
  useShortcutKeys(targets, () => setOpen(true));
  const lines = [
    ['Ctrl K', 'Go to a server, address, media or page'],
    ['/', 'Search this page'],
    ['r', 'Refresh now'],
    ...targets.map(({ key, label }) => [`g ${key}`, label]),
    ['?', 'This list'],
  ];
  return (
    <Modal opened={isOpen} onClose={() => setOpen(false)} title="Keyboard">
      <Table>
        <Table.Tbody>
          {lines.map(([keys, words]) => (
            <Table.Tr key={keys}>
              <Table.Th scope="row">
                {keys?.split(' ').map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </Table.Th>
              <Table.Td>{words}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Nothing fires while typing or in a dialog. */
function useShortcutKeys(targets: readonly NavItem[], onHelp: () => void): void {
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const announce = useAnnounce();
  const firstAt = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      const isSecond = event.timeStamp - firstAt.current < SECOND_KEY_MS;
      firstAt.current = 0;
      const target = isSecond ? targets.find((item) => item.key === event.key) : undefined;
      if (target !== undefined) navigate(target.href);
      else if (event.key === 'g') firstAt.current = event.timeStamp;
      else if (event.key === '/') document.querySelector<HTMLInputElement>('[data-page-search]')?.focus();
      else if (event.key === '?') onHelp();
      else if (event.key === 'r') {
        void client.refetchQueries({ type: 'active' });
        announce('Refreshing');
      } else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [targets, onHelp, navigate, client, announce]);
}

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

import { useAnnounce } from '../live/announcer.js';
import type { NavItem } from './nav-items.js';

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

interface ShortcutKeys {
  /** Pages that may be opened, by the second letter of `g …`. */
  targets: readonly NavItem[];
  /** `?` was pressed. */
  onHelp: () => void;
}

/** `/` search, `r` refresh, `g` and a letter for a page, `?` help. Nothing fires while typing or in a dialog. */
export function useShortcutKeys({ targets, onHelp }: ShortcutKeys): void {
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
      else if (event.key === '/') focusSearch();
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

import { Affix, Notification, Stack } from '@mantine/core';
import '@mantine/core/styles/Affix.css';
import '@mantine/core/styles/Notification.css';
import { useEffect, useState, useSyncExternalStore } from 'react';

interface Notice {
  id: number;
  message: string;
  failed: boolean;
}

const MAX = 3;
/** Above dialogs. */
const Z_INDEX = 400;

let lastId = 0;
let notices: readonly Notice[] = [];
let onChange = () => {};

function show(next: readonly Notice[]): void {
  notices = next;
  onChange();
}

/** Adds a notice at the bottom of the window; of more than three the oldest goes. */
export function showNotice(message: string, failed: boolean): void {
  show([...notices, { id: ++lastId, message, failed }].slice(-MAX));
}

function hide(id: number): void {
  show(notices.filter((each) => each.id !== id));
}

function subscribe(listener: () => void): () => void {
  onChange = listener;
  return () => (onChange = () => {});
}

/** Shows the notices, once on a page. */
export function Notices() {
  const shown = useSyncExternalStore(subscribe, () => notices);
  return (
    <Affix position={{ bottom: 16, right: 16 }} zIndex={Z_INDEX}>
      <Stack w={440} maw="calc(100vw - 32px)" gap="sm">
        {shown.map((notice) => (
          <ShownNotice key={notice.id} {...notice} />
        ))}
      </Stack>
    </Affix>
  );
}

/** Goes by itself, but not while the pointer or the focus is on it. */
function ShownNotice({ id, message, failed }: Notice) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    const timer = isHeld ? undefined : setTimeout(hide, failed ? 10_000 : 5_000, id);
    return () => clearTimeout(timer);
  }, [isHeld, id, failed]);
  return (
    <Notification
      color={failed ? 'bad' : 'ink'}
      closeButtonProps={{ 'aria-label': 'Close this notice' }}
      onClose={() => hide(id)}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {message}
    </Notification>
  );
}

import { createContext, useContext, useState, type ReactNode } from 'react';
import { VisuallyHidden } from '@mantine/core';

const AnnounceContext = createContext<(text: string) => void>(() => {});

/** The one polite live region; what is announced replaces what was there. */
export function Announcer({ children }: { children: ReactNode }) {
  const [text, setText] = useState('');
  return (
    <AnnounceContext value={setText}>
      {children}
      <VisuallyHidden role="status" aria-live="polite">
        {text}
      </VisuallyHidden>
    </AnnounceContext>
  );
}

/** Says one sentence to a screen reader without moving focus. */
export function useAnnounce(): (text: string) => void {
  return useContext(AnnounceContext);
}

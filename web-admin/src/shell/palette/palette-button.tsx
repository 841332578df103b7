import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';

import styles from '../shell.module.css';

const Palette = lazy(async () => ({ default: (await import('./palette.js')).Palette }));

/** Opens the palette, which is loaded then; so does Ctrl-K (⌘K), wherever one types. */
export function PaletteButton() {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isOurs = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isOurs || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      // A dialog that asks something is answered first.
      setIsOpen((wasOpen) => !wasOpen && document.querySelector('[role="dialog"]') === null);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button
        type="button"
        className={styles.tool}
        aria-label="Go to"
        aria-keyshortcuts="Control+K"
        data-tip="Go to (Ctrl K)"
        onClick={() => setIsOpen(true)}
      >
        <IconSearch size={16} stroke={1.75} />
        <span className={styles.interval}>Go to</span>
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <Palette onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

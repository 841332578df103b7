import { Icon } from '../icons.js';
import { useEffect, useState } from 'react';

import { useAnnounce } from '../../live/announcer.js';
import styles from './text.module.css';

interface CopyButtonProps {
  /** What goes to the clipboard, unchanged. */
  text: string;
  /** What it is, for the label: "Copy key ID". */
  what: string;
}

/** Copies a value; the tick stays two seconds. Hidden where the browser gives no clipboard (plain http, far host). */
export function CopyButton({ text, what }: CopyButtonProps) {
  const announce = useAnnounce();
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return undefined;
    const timer = setTimeout(() => setDone(false), 2_000);
    return () => clearTimeout(timer);
  }, [done]);
  // Not every browser gives pages a clipboard, whatever the type says.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) return null;
  const copy = async () => {
    await clipboard.writeText(text);
    setDone(true);
    announce(`Copied ${what}`);
  };
  const label = done ? 'Copied' : `Copy ${what}`;
  return (
    <button
      type="button"
      className={styles.copy}
      aria-label={label}
      data-tip={label}
      data-done={done || undefined}
      onClick={() => void copy()}
    >
      {done ? <Icon name="check" size={15} /> : <Icon name="copy" size={15} />}
    </button>
  );
}

import { useEffect } from 'react';

import { useAnnounce } from '../../live/announcer.js';
import styles from './table.module.css';

/** "3 newer – show": rows do not move under the pointer. Draws nothing for 0. */
export function NewerBar({ count, onShow }: { count: number; onShow: () => void }) {
  const announce = useAnnounce();
  useEffect(() => {
    if (count > 0) announce(`${count} newer`);
  }, [count, announce]);
  if (count === 0) return null;
  return (
    <button type="button" className={styles.newer} onClick={onShow}>
      {count} newer – show
    </button>
  );
}

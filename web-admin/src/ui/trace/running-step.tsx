import { useEffect, useState } from 'react';

import type { RunningStage } from '../../live/use-watched-run.js';
import { durationWords } from '../text/time-words.js';
import styles from './trace-list.module.css';

const TICK_MS = 200;

/** The stage under way, with the time it has taken so far. */
export function RunningStep({ stage }: { stage: RunningStage }) {
  const [beganMs] = useState(() => performance.now());
  const [ms, setMs] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setMs(performance.now() - beganMs), TICK_MS);
    return () => clearInterval(timer);
  }, [beganMs]);
  return (
    <li className={styles.step} data-status="RUNNING">
      <span className={styles.dot} />
      <div className={styles.words}>
        <p className={styles.title}>
          {stage.title}
          <span className={styles.status}>under way</span>
        </p>
      </div>
      <span className={styles.time} aria-hidden="true">
        {durationWords(Math.round(ms / 100) * 100)}
      </span>
    </li>
  );
}

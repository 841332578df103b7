import { Panel } from '../../ui/page/panel.js';
import type { OverviewData } from './overview-query.js';
import styles from './ratios.module.css';

/** How much of the asked-for was already there, for the three caches. */
export function Ratios({ overview }: { overview: OverviewData }) {
  const caches = [
    ['Keys', overview.keyCache],
    ['Previews in memory', overview.memoryCache],
    ['Previews stored', overview.storeCache],
  ] as const;
  return (
    <Panel title="Answered from cache" note="since start">
      <dl className={styles.list}>
        {caches.map(([label, { hitRatio, hits, misses }]) => (
          <div key={label}>
            <dt>
              {label}
              <span className={styles.small}>
                {hitRatio === null
                  ? 'no look-up yet'
                  : `${hits.toLocaleString('en')} of ${(hits + misses).toLocaleString('en')}`}
              </span>
            </dt>
            <dd>
              <span className={styles.track} aria-hidden="true">
                <span className={styles.bar} style={{ width: `${(hitRatio ?? 0) * 100}%` }} />
              </span>
              <span className={styles.percent}>
                {hitRatio === null ? '—' : `${(hitRatio * 100).toFixed(1)} %`}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

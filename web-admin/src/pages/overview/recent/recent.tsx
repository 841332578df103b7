import { Link } from 'wouter';

import { useViewer } from '../../../session/viewer-context.js';
import { mayOpen } from '../../../shell/nav-items.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import type { OverviewData } from '../overview-query.js';
import styles from './recent.module.css';

const KINDS = { KEY_FETCH: 'Key fetch', PREVIEW: 'Preview', JOB: 'Job' } as const;
/** Where those find a failed preview who may not try it. */
const FAILED_IN_MEMORY = '/previews?tab=memory&state=FAILED';

/** The last five things that failed, each with the page that says why. */
export function RecentFailures({ failures }: { failures: OverviewData['recentFailures'] }) {
  const { role } = useViewer();
  return (
    <Panel title="Recent failures" flush>
      {failures.length === 0 ? (
        <EmptyState title="Nothing has failed lately." isSmall />
      ) : (
        <ul className={styles.list}>
          {failures.map(({ at, kind, subject, message, href }) => (
            <li key={`${at} ${subject}`} className={styles.item}>
              <p className={styles.head}>
                <Link href={mayOpen(role, href) ? href : FAILED_IN_MEMORY} className={styles.subject}>
                  <UntrustedText text={subject} max={60} inside />
                </Link>
                <RelativeTime at={at} />
              </p>
              <p className={styles.message}>
                {KINDS[kind]}: <UntrustedText text={message} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Processes that share this store. */
export function Instances({ overview }: { overview: OverviewData }) {
  return (
    <Panel title="Instances" flush>
      <ul className={styles.list}>
        {overview.instances.map(({ name, runsMediaJobs, startedAt, lastSeenAt, version }) => (
          <li key={name} className={styles.item}>
            <p className={styles.head}>
              <span className={styles.subject}>
                <UntrustedText text={name} max={40} />
              </span>
              {runsMediaJobs && <span className={styles.message}>runs the media jobs</span>}
            </p>
            <p className={styles.message}>
              {version}, started <RelativeTime at={startedAt} />, seen <RelativeTime at={lastSeenAt} />
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useViewer } from '../../session/viewer-context.js';
import { mayOpen } from '../../shell/nav-items.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { lastHitsQuery } from './overview-query.js';
import type { OverviewData } from './overview-query.js';
import styles from './recent.module.css';

const KINDS = { KEY_FETCH: 'Key fetch', PREVIEW: 'Preview', JOB: 'Job' } as const;
const STAGES = {
  TARGET: 'the address itself',
  REDIRECT: 'a redirect',
  OEMBED: 'oEmbed',
  IMAGE: 'the picture',
} as const;

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

/** The last five addresses that were refused. */
export function LastHits() {
  const query = useQuery(lastHitsQuery, {}, { live: 'view' });
  return (
    <Panel title="Last blocked" actions={<Link href="/blocking?tab=hits">All hits</Link>} flush>
      <QueryView query={query}>
        {({ blockHits: { nodes } }) =>
          nodes.length === 0 ? (
            <EmptyState title="Nothing was blocked yet." isSmall />
          ) : (
            <ul className={styles.list}>
              {nodes.map(({ id, at, url, stage, address, rule }) => (
                <li key={id} className={styles.item}>
                  <p className={styles.head}>
                    <Link
                      href={`/blocking?tab=check&url=${encodeURIComponent(url)}`}
                      className={styles.subject}
                    >
                      <UntrustedText text={url} max={60} inside />
                    </Link>
                    <RelativeTime at={at} />
                  </p>
                  <p className={styles.message}>
                    {STAGES[stage]}
                    {address !== null && (
                      <>
                        {', '}
                        <UntrustedText text={address} mono />
                      </>
                    )}
                    {rule !== null && (
                      <>
                        {', by '}
                        <code>
                          {rule.parts.map(({ component, pattern }) => `${component} ${pattern}`).join(', ')}
                        </code>
                      </>
                    )}
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
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

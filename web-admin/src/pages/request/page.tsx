import { Link, useParams } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { isAtLeast } from '../../shell/nav-items.js';
import { useViewer } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { StateBadge } from '../../ui/state/state-badge.js';
import { counted } from '../../ui/text/counted.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { requestQuery, type RequestStory } from './request-query.js';
import { storyLines, type StoryLine } from './story-lines.js';
import styles from './request.module.css';

/** What one request had done: key fetches, previews, refusals, actions, errors. */
export function Page() {
  const { requestId } = useParams<{ requestId: string }>();
  const { role } = useViewer();
  return (
    <>
      <PageHeader
        title={`Request ${requestId}`}
        heading={
          <span className={styles.heading}>
            Request <UntrustedText text={requestId} max={60} mono />
            <CopyButton text={requestId} what="request id" />
          </span>
        }
        description="What it had fetched, made and refused, as the header X-Request-Id and log lines name it. Keys out of memory and stored media leave nothing here."
      />
      {isAtLeast(role, 'OPERATOR') ? (
        <Story requestId={requestId} />
      ) : (
        <Panel>
          <EmptyState title="Requests need the role operator">You are {role.toLowerCase()}.</EmptyState>
        </Panel>
      )}
    </>
  );
}

function Story({ requestId }: { requestId: string }) {
  const query = useQuery(requestQuery, { id: requestId }, { live: 'view', keepPrevious: false });
  return (
    <Panel flush>
      <QueryView query={query}>{({ request }) => <Lines story={request} />}</QueryView>
    </Panel>
  );
}

function Lines({ story }: { story: RequestStory }) {
  const lines = storyLines(story);
  if (lines.length === 0)
    return (
      <EmptyState title="Nothing is known of this request">
        {story.keptEvents === 0
          ? 'admin.kept_request_events is 0: only refusals and actions of operators are kept.'
          : `It was answered with what was at hand (keys in memory, stored media), or it was long ago: each instance remembers its last ${story.keptEvents.toLocaleString('en')} events since its start.`}
        {story.unlogged !== null && <Unlogged unlogged={story.unlogged} />}
        {story.silent.length > 0 && <Silent names={story.silent} />}
      </EmptyState>
    );
  return (
    <>
      <ol className={styles.lines} aria-label="What the request did">
        {lines.map((line) => (
          <Line key={line.key} line={line} />
        ))}
      </ol>
      {story.unlogged !== null && <Unlogged unlogged={story.unlogged} />}
      {story.silent.length > 0 && <Silent names={story.silent} />}
      {!story.whole && story.unlogged === null && story.silent.length === 0 && (
        <p className={styles.foot}>Older events have been forgotten; there may have been more.</p>
      )}
      {story.events.length > 0 && (
        <p className={styles.foot}>
          Remembered by {[...new Set(story.events.map(({ instance }) => instance))].join(', ')}.
        </p>
      )}
    </>
  );
}

/** Instances that were asked in vain. */
function Silent({ names }: { names: readonly string[] }) {
  return <p className={styles.foot}>No answer from {names.join(', ')}: there may have been more.</p>;
}

/** Of which requests they were is not known. */
function Unlogged({
  unlogged: { count, since, until },
}: {
  unlogged: NonNullable<RequestStory['unlogged']>;
}) {
  return (
    <p className={styles.foot}>
      Lines may be missing: {counted(count, 'failure')} of clients beyond <code>log.max_request_lines</code>,
      the first <RelativeTime at={since} />, the latest <RelativeTime at={until} />, got no line in the log
      and none here.
    </p>
  );
}

function Line({ line: { at, what, tone, outcome, subject, href, note, mediaId } }: { line: StoryLine }) {
  const words = <UntrustedText text={subject} max={100} inside={href !== null} />;
  return (
    <li className={styles.line}>
      <p className={styles.head}>
        <span className={styles.what}>{what}</span>
        <StateBadge tone={tone}>{outcome.replaceAll('_', ' ')}</StateBadge>
        <span className={styles.at}>
          <RelativeTime at={at} />
        </span>
      </p>
      <p className={styles.subject}>{href === null ? words : <Link href={href}>{words}</Link>}</p>
      {note !== null && (
        <p className={styles.note}>
          <UntrustedText text={note} max={200} />
        </p>
      )}
      {mediaId !== null && (
        <p className={styles.note}>
          stored as <Link href={`/media/${encodeURIComponent(mediaId)}`}>{mediaId}</Link>
        </p>
      )}
    </li>
  );
}

import { useQuery } from '../../api/use-query.js';
import { useViewer } from '../../session/viewer-context.js';
import { Fields } from '../../ui/page/fields.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { StateBadge } from '../../ui/state/state-badge.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { entryCount } from './entry-count.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { Snippet } from '../../ui/text/snippet.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { Growth } from './growth.js';
import { logQuery, type LogData } from './log-query.js';
import { Witnesses } from './witnesses.js';
import styles from './log.module.css';

/** The log that others audit: what it is known by, how it grows, and who watches it. */
export function Page() {
  const query = useQuery(logQuery, {}, { live: 'view' });
  return (
    <>
      <PageHeader
        title="Log"
        description="Everything this notary vouches for, in one list that can only grow. Anyone can follow it."
      />
      <QueryView query={query}>
        {({ log }) =>
          log === null ? (
            <Panel>
              <EmptyState title="There is no log">
                It is off: <code>log.enabled</code> in the configuration.
              </EmptyState>
            </Panel>
          ) : (
            <div className={styles.parts}>
              <Standing log={log} />
              <Follow log={log} />
              <Growth days={log.growth} />
              <Witnesses log={log} />
            </div>
          )
        }
      </QueryView>
    </>
  );
}

const SECOND_MS = 1000;

function Standing({ log }: { log: LogData }) {
  const { size, checkpointAt, mergeDelayMs, maximumMergeDelayMs, waiting, damage } = log;
  const isLate = mergeDelayMs > maximumMergeDelayMs;
  const seconds = (ms: number) => `${(ms / SECOND_MS).toFixed(ms < 10 * SECOND_MS ? 1 : 0)} s`;
  return (
    <Panel
      title={entryCount(size)}
      note={
        <StateBadge tone={damage !== null ? 'bad' : isLate ? 'warn' : 'ok'}>
          {damage !== null ? 'stopped' : isLate ? 'behind' : 'growing'}
        </StateBadge>
      }
    >
      <div className={styles.stack}>
        {damage !== null && <p>It is damaged and has been stopped: {damage}. The notary goes on.</p>}
        <Fields
          items={[
            ['Last signed', <RelativeTime key="signed" at={checkpointAt} />],
            ['Waiting for a place', entryCount(waiting)],
            ['Merge delay', `${seconds(mergeDelayMs)} of at most ${seconds(maximumMergeDelayMs)}`],
          ]}
        />
        <h3 className={styles.head}>Checkpoint</h3>
        <Snippet text={log.checkpoint} what="checkpoint" />
      </div>
    </Panel>
  );
}

/** What others need to follow it; they get the key from its operator, never from the log. */
function Follow({ log: { origin, verifierKey } }: { log: LogData }) {
  const {
    commandLine: { program },
  } = useViewer();
  const line = `${program} log verify 'https://${origin}' --key '${verifierKey}' --state log.json --watch NAMES`;
  return (
    <Panel title="For those who follow it">
      <div className={`${styles.stack} ${styles.wide}`}>
        <Fields
          items={[
            ['Origin', <Copied key="origin" text={origin} what="origin" />],
            ['Verifier key', <Copied key="key" text={verifierKey} what="verifier key" />],
          ]}
        />
        <p className={styles.quiet}>
          Publish the verifier key where nobody but you can write. With it, this line tells the owners of
          names what is vouched for, and notices when the log lies:
        </p>
        <Snippet text={line} what="line to follow the log" />
      </div>
    </Panel>
  );
}

function Copied({ text, what }: { text: string; what: string }) {
  return (
    <span>
      <UntrustedText text={text} mono /> <CopyButton text={text} what={what} />
    </span>
  );
}

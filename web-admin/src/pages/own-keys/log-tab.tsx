import { useQuery } from '../../api/use-query.js';
import { Fields } from '../../ui/page/fields.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { StateBadge } from '../../ui/state/state-badge.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { entryCount } from './entry-count.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { Snippet } from '../../ui/text/snippet.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { logQuery, type LogData } from './log-query.js';
import { Witnesses } from './witnesses.js';
import styles from './own-keys.module.css';

/** The log of the records this notary vouches for: how others follow it, and its witnesses. */
export function LogTab() {
  const query = useQuery(logQuery, {}, { live: 'view' });
  return (
    <QueryView query={query}>
      {({ log }) =>
        log === null ? (
          <Panel>
            <EmptyState title="The log is off">
              Set <code>log.enabled</code> to true in the configuration.
            </EmptyState>
          </Panel>
        ) : (
          <div className={styles.parts}>
            <Standing log={log} />
            <Follow log={log} />
            <Witnesses log={log} />
          </div>
        )
      }
    </QueryView>
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
          {damage !== null ? 'stopped' : isLate ? 'behind' : 'up to date'}
        </StateBadge>
      }
    >
      <div className={styles.stack}>
        {damage !== null && (
          <p>The log is damaged and has been stopped: {damage}. Key queries are not affected.</p>
        )}
        <Fields
          items={[
            ['Last signed', <RelativeTime key="signed" at={checkpointAt} />],
            ['Pending entries', entryCount(waiting)],
            ['Merge delay', `${seconds(mergeDelayMs)} (limit ${seconds(maximumMergeDelayMs)})`],
          ]}
        />
        <h3 className={styles.head}>Checkpoint</h3>
        <Snippet text={log.checkpoint} what="checkpoint" />
      </div>
    </Panel>
  );
}

/** How others follow it; they get the key from its operator, never from the log. */
function Follow({ log: { origin, verifierKey } }: { log: LogData }) {
  const line = `tlog verify 'https://${origin}' --key '${verifierKey}' --state log.json --watch NAMES`;
  return (
    <Panel title="Audit this log">
      <div className={`${styles.stack} ${styles.key}`}>
        <Fields
          items={[
            ['Origin', <Copied key="origin" text={origin} what="origin" />],
            ['Verifier key', <Copied key="key" text={verifierKey} what="verifier key" />],
          ]}
        />
        <p className={styles.quiet}>
          Publish this key somewhere only you control. Anyone can then audit the log with packages/tlog:
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

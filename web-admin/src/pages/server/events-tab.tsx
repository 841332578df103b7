import { Button } from '@mantine/core';

import { useQuery } from '../../api/use-query.js';
import { JsonView } from '../../ui/json/json-view.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { ToneIcon } from '../../ui/state/state-badge.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { Acknowledged } from '../events/acknowledged.js';
import { LogProof } from './records/log-proof.js';
import { eventsQuery, type EventData } from './server-query.js';
import styles from './events.module.css';

const SHAPE = { after: text() };
const TONES = { INFO: 'idle', WARNING: 'warn', ALERT: 'bad' } as const;
const WORDS = { INFO: 'For information', WARNING: 'Warning', ALERT: 'Alert' } as const;

/** What happened to the keys of this server, newest first. The list only grows. */
export function EventsTab({ name }: { name: string }) {
  const [{ after }, change] = useSearchParams(SHAPE);
  const query = useQuery(eventsQuery, { name, after: after === '' ? null : after }, { live: 'list' });
  return (
    <Panel>
      <QueryView query={query}>
        {({ server }) =>
          server === null || server.events.nodes.length === 0 ? (
            <EmptyState title="Nothing has happened to these keys" />
          ) : (
            <>
              <ol className={styles.line} aria-label="Key events">
                {server.events.nodes.map((event) => (
                  <Event key={event.id} event={event} serverName={name} />
                ))}
              </ol>
              {after !== '' && <Button onClick={() => change({ after: '' }, { push: true })}>Newest</Button>}{' '}
              {server.events.pageInfo.hasNextPage && (
                <Button
                  onClick={() => change({ after: server.events.pageInfo.endCursor ?? '' }, { push: true })}
                >
                  Older
                </Button>
              )}
            </>
          )
        }
      </QueryView>
    </Panel>
  );
}

function Event({ event, serverName }: { event: EventData; serverName: string }) {
  const { id, hasRecord, at, severity, message, keyId, detail, acknowledgement } = event;
  return (
    <li className={styles.event} data-severity={severity}>
      <span className={styles.dot} role="img" aria-label={WORDS[severity]}>
        <ToneIcon tone={TONES[severity]} size={11} />
      </span>
      <div className={styles.words}>
        <p>
          <UntrustedText text={message} />
        </p>
        <p className={styles.small}>
          <RelativeTime at={at} />
          {keyId !== null && (
            <>
              {' · '}
              <UntrustedText text={keyId} mono />
            </>
          )}
        </p>
        <Acknowledged by={acknowledgement} />
        {detail !== null && severity !== 'INFO' && <JsonView value={detail} what="detail of the event" />}
        {hasRecord && <LogProof id={id} of={`${serverName}.${keyId ?? 'record'}`} />}
      </div>
    </li>
  );
}

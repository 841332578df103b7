import { Button, Group } from '@mantine/core';

import { useQuery } from '../../api/use-query.js';
import { Panel } from '../../ui/page.js';
import { EmptyState, QueryView, ToneIcon } from '../../ui/state.js';
import { RowMenu } from '../../ui/table/data-table.js';
import { JsonView, Note, RelativeTime, Snippet, UntrustedText } from '../../ui/text/text.js';
import { text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { Acknowledged, EVENT_WORDS, SEVERITY_TONES } from '../keys/key-words.js';
import { useLogProof } from './records-tab.js';
import { eventsQuery, type EventData } from './server-query.js';

const SHAPE = { after: text() };
const WORDS = { INFO: 'For information', WARNING: 'Warning', ALERT: 'Alert' } as const;

/** What happened to the keys of this server, newest first. */
export function EventsTab({ name }: { name: string }) {
  const [{ after }, change] = useSearchParams(SHAPE);
  const query = useQuery(eventsQuery, { name, after: after || null }, { live: 'list' });
  return (
    <Panel>
      <QueryView query={query}>
        {({ server }) =>
          server === null || server.events.nodes.length === 0 ? (
            <EmptyState title="No key events" />
          ) : (
            <>
              <ol aria-label="Key events">
                {server.events.nodes.map((event) => (
                  <Event key={event.id} event={event} serverName={name} />
                ))}
              </ol>
              <Pages
                page={server.events.pageInfo}
                isFirst={after === ''}
                goTo={(cursor) => change({ after: cursor }, { push: true })}
              />
            </>
          )
        }
      </QueryView>
    </Panel>
  );
}

interface PagesProps {
  page: { hasNextPage: boolean; endCursor?: string | null };
  isFirst: boolean;
  goTo: (after: string) => void;
}

/** The ways on in a list that only goes forward. */
export function Pages({ page, isFirst, goTo }: PagesProps) {
  return (
    <Group gap="xs">
      {!isFirst && <Button onClick={() => goTo('')}>Newest</Button>}
      {page.hasNextPage && <Button onClick={() => goTo(page.endCursor ?? '')}>Older</Button>}
    </Group>
  );
}

function Event({ event, serverName }: { event: EventData; serverName: string }) {
  const { id, hasRecord, at, kind, severity, message, keyId, detail, acknowledgement } = event;
  const proof = useLogProof(id, `${serverName}.${keyId ?? 'record'}`);
  return (
    <Group component="li" wrap="nowrap" align="flex-start" py={6} gap="xs">
      <span role="img" aria-label={WORDS[severity]}>
        <ToneIcon tone={acknowledgement === null ? SEVERITY_TONES[severity] : 'idle'} />
      </span>
      <div style={{ flex: 1, minWidth: 0 }}>
        <UntrustedText text={message} />
        <Note>
          {EVENT_WORDS[kind]} · <RelativeTime at={at} />
          {keyId !== null && (
            <>
              {' · '}
              <UntrustedText text={keyId} max={36} mono />
            </>
          )}
        </Note>
        <Acknowledged by={acknowledgement} />
        {detail !== null && severity !== 'INFO' && <JsonView value={detail} what="detail of the event" />}
        {proof.line !== null && <Snippet text={proof.line} what="line to check the proof" />}
      </div>
      {hasRecord && <RowMenu actions={[{ label: 'Download proof', onSelect: proof.download }]} />}
    </Group>
  );
}

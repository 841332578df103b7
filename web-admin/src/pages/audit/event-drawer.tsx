import { Drawer } from '@mantine/core';

import { useHold } from '../../live/live-context.js';
import { Fields } from '../../ui/page/fields.js';
import { JsonView } from '../../ui/json/json-view.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { ValueDiff } from '../../ui/text/value-diff.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import type { AuditRow } from './audit-query.js';
import { changesOf } from './changes-of.js';
import { METHOD_WORDS } from './method-words.js';
import { operationOf } from './audit-view.js';
import styles from './audit.module.css';

/** Everything the table knows about one action. */
export function EventDrawer({ event, onClose }: { event: AuditRow | null; onClose: () => void }) {
  useHold(event !== null);
  return (
    <Drawer
      opened={event !== null}
      onClose={onClose}
      position="right"
      title="Audit entry"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {event !== null && (
        <div className={styles.detail}>
          <EventFields event={event} />
          <Changes detail={event.detail} />
          {event.detail !== null && <JsonView value={event.detail} what="Details" openTo={2} />}
        </div>
      )}
    </Drawer>
  );
}

/** What was changed from what to what, as far as the entry tells it. */
function Changes({ detail }: { detail: unknown }) {
  const changes = changesOf(detail);
  if (changes.length === 0) return null;
  return (
    <ul className={styles.changes} aria-label="What changed">
      {changes.map(({ path, from, to, waits }) => (
        <li key={path}>
          <strong>{path}</strong>
          {waits && ' (waits for a restart)'}
          <br />
          <ValueDiff from={from} to={to} />
        </li>
      ))}
    </ul>
  );
}

function EventFields({ event }: { event: AuditRow }) {
  return (
    <Fields
      items={[
        ['What', <UntrustedText key="what" text={event.summary} max={400} />],
        ['Operation', <code key="operation">{operationOf(event.action)}</code>],
        ['Time', <RelativeTime key="time" at={event.at} />],
        ['Who', <UntrustedText key="who" text={event.actor} max={200} />],
        ['Role', event.role.toLowerCase()],
        ['Signed in by', METHOD_WORDS[event.method]],
        ['Outcome', event.outcome.toLowerCase()],
        ['From', event.address ?? '—'],
        ['Target', <Target key="target" event={event} />],
        [
          'Request',
          <span key="request">
            <UntrustedText text={event.requestId} max={20} mono inside />{' '}
            <CopyButton text={event.requestId} what="request id" />
          </span>,
        ],
      ]}
    />
  );
}

function Target({ event: { targetType, targetId } }: { event: AuditRow }) {
  if (targetId === null) return '—';
  return <UntrustedText text={`${targetType ?? ''} ${targetId}`.trim()} max={120} />;
}

import { Button } from '@mantine/core';
import { useState } from 'react';

import { useCan } from '../../../session/viewer-context.js';
import { ToneIcon } from '../../../ui/state/state-badge.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import type { ServerData } from '../server-query.js';
import { AcknowledgeDialog } from './acknowledge-dialog.js';
import styles from './alarm.module.css';

/** Replaced keys, until an operator acknowledges them. */
export function AlarmBanner({ server: { name, alarms } }: { server: ServerData }) {
  const can = useCan();
  const [isOpen, setOpen] = useState(false);
  const [newest] = alarms;
  if (newest === undefined) return null;
  const isReplaced = alarms.some(({ kind }) => kind === 'KEY_REPLACED');
  return (
    <section className={styles.banner} aria-label="Alarm">
      <ToneIcon tone="bad" size={16} />
      <div className={styles.words}>
        <h2>{isReplaced ? 'A key changed under the same ID' : 'The keys of this server need attention'}</h2>
        <ul>
          {alarms.map(({ id, at, message }) => (
            <li key={id}>
              <UntrustedText text={message} /> <RelativeTime at={at} />
            </li>
          ))}
        </ul>
        {isReplaced && (
          <p>
            Legitimate rotations use a new key ID. Ask this server’s operator whether the change was intended;
            events signed with the old key can no longer be verified.
          </p>
        )}
      </div>
      {can('acknowledgeKeyAlarm') && (
        <Button variant="filled" onClick={() => setOpen(true)}>
          Acknowledge…
        </Button>
      )}
      <AcknowledgeDialog
        serverName={name}
        throughId={newest.id}
        opened={isOpen}
        onClose={() => setOpen(false)}
      />
    </section>
  );
}

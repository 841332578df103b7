import { Text } from '@mantine/core';

import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import type { EventRow } from './events-query.js';

/** Who acknowledged an alarm, when and why; nothing for other events. */
export function Acknowledged({ by }: { by: EventRow['acknowledgement'] }) {
  if (by === null) return null;
  return (
    <Text component="span" size="sm" c="dimmed">
      Acknowledged by <UntrustedText text={by.actor} max={36} /> <RelativeTime at={by.at} />:{' '}
      <UntrustedText text={by.reason} max={200} />
    </Text>
  );
}

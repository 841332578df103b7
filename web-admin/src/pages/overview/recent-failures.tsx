import { Stack, Text } from '@mantine/core';
import { Link } from 'wouter';

import { useViewer } from '../../session/viewer-context.js';
import { mayOpen } from '../../shell/nav-items.js';
import { Panel } from '../../ui/page.js';
import { RelativeTime, UntrustedText } from '../../ui/text/text.js';
import type { OverviewData } from './overview-query.js';

/** The last five things that failed, each with the page that says why. */
export function RecentFailures({ failures }: { failures: OverviewData['recentFailures'] }) {
  const { role } = useViewer();
  return (
    <Panel title="Recent failures">
      {failures.length === 0 && <Text c="dimmed">No recent failures.</Text>}
      <Stack gap="xs">
        {failures.map(({ at, title, subject, message, href }) => (
          <Text component="div" size="sm" key={`${at} ${subject}`}>
            <Link href={mayOpen(role, href) ? href : '/previews'}>
              <UntrustedText text={subject} max={60} inside />
            </Link>{' '}
            <RelativeTime at={at} />
            <Text component="div" size="xs" c="dimmed">
              {title}: <UntrustedText text={message} />
            </Text>
          </Text>
        ))}
      </Stack>
    </Panel>
  );
}

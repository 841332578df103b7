import { Center, Loader, Paper, Stack, Text, Title } from '@mantine/core';

import type { RequestError } from '../api/request-error.js';
import { Mark } from '../brand/mark.js';

/** For answers that name none. */
const CAUSES: Record<string, string[]> = {
  NOT_READY: [
    'The database is unreachable. Check that it runs and that its address in the configuration is right.',
    'Migrations are running after an upgrade; large stores take some minutes.',
  ],
  NETWORK: ['The service is stopped or restarting.', 'A proxy between you and the server cannot reach it.'],
};

/** Why there is nothing to sign in to yet. It heals by itself: the gate behind it keeps asking. */
export function NotReady({ error }: { error: RequestError }) {
  const said = error.details.causes;
  const causes = said.length > 0 ? said : (CAUSES[error.code] ?? []);
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack maw={560} gap="sm">
        <Mark size={44} />
        <Title order={1}>Vidimus is not ready</Title>
        <p role="status">{error.message}</p>
        {causes.length > 0 && (
          <Paper withBorder p="sm">
            <Title order={2}>Likely causes</Title>
            <ul>
              {causes.map((cause) => (
                <li key={cause}>{cause}</li>
              ))}
            </ul>
          </Paper>
        )}
        <Text c="dimmed">
          <Loader size={14} aria-hidden="true" /> Retrying every 2 seconds. This page continues when the
          server is ready.
        </Text>
      </Stack>
    </Center>
  );
}

import { Stack } from '@mantine/core';

import type { SignInWay } from '../../session/session-client.js';
import { useSession } from '../../session/session-context.js';
import { useViewer } from '../../session/viewer-context.js';
import { PageHeader, Panel } from '../../ui/page.js';
import { TabPages } from '../../ui/tab-pages.js';
import { EmptyState } from '../../ui/state.js';
import { AuditTab } from './audit-tab.js';
import { Sessions } from './sessions.js';
import { Tokens } from './tokens.js';

/** Tokens, sessions and the ways to sign in for admins; the audit log for operators, too. */
export function Page() {
  const { role } = useViewer();
  return (
    <>
      <PageHeader title="Access" description="API tokens, sessions, and what operators changed." />
      {role === 'VIEWER' ? (
        <EmptyState title="Operators and admins see this page">
          You are signed in as viewer. Ask an admin for a sign-in code with a higher role.
        </EmptyState>
      ) : (
        <TabPages
          label="Access or audit"
          tabs={[
            { value: 'tokens', label: 'Tokens and sessions', page: <TokensTab /> },
            { value: 'audit', label: 'Audit', page: <AuditTab /> },
          ]}
        />
      )}
    </>
  );
}

function TokensTab() {
  const { role } = useViewer();
  if (role !== 'ADMIN')
    return (
      <EmptyState title="Only admins see this list">
        You are signed in as {role.toLowerCase()}. Ask an admin for a token, or for a sign-in code with a
        higher role.
      </EmptyState>
    );
  return (
    <Stack gap="sm">
      <Tokens />
      <Sessions />
      <SignInWays />
    </Stack>
  );
}

const WAYS: Record<SignInWay, string> = {
  code: 'One-time code: “vidimus admin sign-in-code” prints one; it works once, within 15 minutes, and needs a shell on this machine.',
  token: 'API token: a token with an admin permission is exchanged for a session.',
  homeserver: 'Homeserver account: accounts named in admin.matrix_accounts sign in with their access token.',
};

/** The ways to sign in that are switched on, and how to use them. */
function SignInWays() {
  const { ways } = useSession();
  return (
    <Panel title="Ways to sign in">
      <ul>
        {ways.map((way) => (
          <li key={way}>{WAYS[way]}</li>
        ))}
      </ul>
    </Panel>
  );
}

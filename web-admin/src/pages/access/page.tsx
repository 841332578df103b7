import { Tabs } from '@mantine/core';
import { useLocation } from 'wouter';

import { useViewer } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { choice } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { AuditTab } from '../audit/audit-tab.js';
import { Sessions } from './sessions.js';
import { SignInWays } from './sign-in-ways.js';
import { Tokens } from './tokens/tokens.js';
import styles from './access.module.css';

const SHAPE = { tab: choice(['tokens', 'audit'], 'tokens') };

/** Tokens, sessions and the ways to sign in for admins; the audit log for operators, too. */
export function Page() {
  const { role } = useViewer();
  const [{ tab }] = useSearchParams(SHAPE);
  const [, navigate] = useLocation();
  return (
    <>
      <PageHeader title="Access" description="API tokens, sessions, and what operators changed." />
      {role === 'VIEWER' ? (
        <EmptyState title="Operators and admins see this page">
          You are signed in as viewer. Ask an admin for a sign-in code with a higher role.
        </EmptyState>
      ) : (
        <Tabs
          value={tab}
          keepMounted={false}
          onChange={(value) => navigate(value === 'tokens' ? '/access' : '/access?tab=audit')}
        >
          <Tabs.List aria-label="Access or audit">
            <Tabs.Tab value="tokens">Tokens and sessions</Tabs.Tab>
            <Tabs.Tab value="audit">Audit</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="tokens">
            <TokensTab />
          </Tabs.Panel>
          <Tabs.Panel value="audit">
            <AuditTab />
          </Tabs.Panel>
        </Tabs>
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
    <div className={styles.stack}>
      <Tokens />
      <Sessions />
      <SignInWays />
    </div>
  );
}

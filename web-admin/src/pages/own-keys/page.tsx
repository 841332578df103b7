import { Tabs } from '@mantine/core';

import { useQuery } from '../../api/use-query.js';
import { Fields } from '../../ui/page/fields.js';
import { useCommand } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { StateBadge } from '../../ui/state/state-badge.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { choice } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { LogTab } from './log-tab.js';
import { ownKeysQuery, type OwnKey, type Rotation } from './own-keys-query.js';
import { PeerLines } from './peer-lines.js';
import { RotationPanel } from './rotation-panel.js';
import styles from './own-keys.module.css';

const SHAPE = { tab: choice(['keys', 'log'], 'keys') };

/** The keys this server signs with, and the log of the records it vouches for. */
export function Page() {
  const [{ tab }, change] = useSearchParams(SHAPE);
  return (
    <>
      <PageHeader
        title="Our keys"
        description="The keys this server signs with, and the public log of every record it vouches for."
      />
      <Tabs value={tab} keepMounted={false} onChange={(value) => change({ tab: SHAPE.tab.parse(value) })}>
        <Tabs.List aria-label="Keys or log">
          <Tabs.Tab value="keys">Signing keys</Tabs.Tab>
          <Tabs.Tab value="log">Log</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="keys">
          <KeysTab />
        </Tabs.Panel>
        <Tabs.Panel value="log">
          <LogTab />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function KeysTab() {
  const query = useQuery(ownKeysQuery, {}, { live: 'list' });
  return (
    <QueryView query={query}>
      {({ signingKeys, keyRotation }) => <Keys keys={signingKeys} rotation={keyRotation} />}
    </QueryView>
  );
}

function Keys({ keys, rotation }: { keys: readonly OwnKey[]; rotation: Rotation }) {
  const command = useCommand();
  if (keys.length === 0)
    return (
      <Panel>
        <EmptyState title="No signing key">
          Create one with <code>{command('keys generate')}</code> and restart.
        </EmptyState>
      </Panel>
    );
  return (
    <div className={styles.parts}>
      {keys.map((key) => (
        <KeyPanel key={key.id} signingKey={key} />
      ))}
      <RotationPanel rotation={rotation} />
      <PeerLines rotation={rotation} />
    </div>
  );
}

function KeyPanel({ signingKey }: { signingKey: OwnKey }) {
  const { keyId, publicKey, active, fingerprint, firstSeenAt, retiredAt } = signingKey;
  return (
    <Panel
      title={
        <>
          <UntrustedText text={keyId} mono /> <CopyButton text={keyId} what="key ID" />
        </>
      }
      note={<StateBadge tone={active ? 'ok' : 'idle'}>{active ? 'active' : 'retired'}</StateBadge>}
    >
      <div className={styles.key}>
        <Fields
          items={[
            [
              'Public key',
              <span key="public">
                <UntrustedText text={publicKey} mono /> <CopyButton text={publicKey} what="public key" />
              </span>,
            ],
            [
              'Fingerprint',
              <span key="fingerprint" className={styles.fingerprint}>
                {fingerprint} <CopyButton text={fingerprint} what="fingerprint" />
              </span>,
            ],
            ['First used', <RelativeTime key="first" at={firstSeenAt} />],
            retiredAt === null ? null : ['Retired', <RelativeTime key="retired" at={retiredAt} />],
          ]}
        />
      </div>
    </Panel>
  );
}

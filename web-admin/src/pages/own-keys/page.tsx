import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';

import { useQuery } from '../../api/use-query.js';
import { Fields, PageHeader, Panel } from '../../ui/page.js';
import { TabPages } from '../../ui/tab-pages.js';
import { EmptyState, QueryView, StateBadge } from '../../ui/state.js';
import { Copied, RelativeTime, Snippet } from '../../ui/text/text.js';
import { LogTab } from './log-tab.js';
import { ownKeysQuery, type OwnKey, type Rotation } from './own-keys-query.js';
import { RotationPanel } from './rotation-panel.js';

/** The keys this server signs with, and the log of the records it vouches for. */
export function Page() {
  return (
    <>
      <PageHeader
        title="Our keys"
        description="The keys this server signs with, and the public log of every record it vouches for."
      />
      <TabPages
        label="Keys or log"
        tabs={[
          { value: 'keys', label: 'Signing keys', page: <KeysTab /> },
          { value: 'log', label: 'Log', page: <LogTab /> },
        ]}
      />
    </>
  );
}

function KeysTab() {
  const query = useQuery(ownKeysQuery, {}, { live: 'list' });
  return (
    <QueryView query={query}>
      {({ signingKeys, keyRotation }) =>
        signingKeys.length === 0 ? (
          <EmptyState title="No signing key">
            Create one with <code>vidimus keys generate</code> and restart.
          </EmptyState>
        ) : (
          <Stack gap="sm">
            {signingKeys.map((key) => (
              <KeyPanel key={key.id} signingKey={key} />
            ))}
            <RotationPanel rotation={keyRotation} />
            <PeerLines rotation={keyRotation} />
          </Stack>
        )
      }
    </QueryView>
  );
}

function KeyPanel({ signingKey }: { signingKey: OwnKey }) {
  const { keyId, publicKey, active, fingerprint, firstSeenAt, retiredAt } = signingKey;
  return (
    <Panel
      title={<Copied text={keyId} what="key ID" />}
      note={<StateBadge tone={active ? 'ok' : 'idle'}>{active ? 'active' : 'retired'}</StateBadge>}
    >
      <Fields
        items={[
          ['Public key', <Copied key="" text={publicKey} what="public key" />],
          ['Fingerprint', <Copied key="" text={fingerprint} what="fingerprint" />],
          ['First used', <RelativeTime key="" at={firstSeenAt} />],
          retiredAt === null ? null : ['Retired', <RelativeTime key="" at={retiredAt} />],
        ]}
      />
    </Panel>
  );
}

/** Lines for the configuration of peers that are to trust this notary. */
function PeerLines({ rotation: { newKeyId, peerSnippets: snippets } }: { rotation: Rotation }) {
  const [software, setSoftware] = useState(snippets[0]?.software ?? '');
  const chosen = snippets.find((snippet) => snippet.software === software) ?? snippets[0];
  if (chosen === undefined) return null;
  return (
    <Panel
      title="Configuration for peers"
      actions={
        <SegmentedControl
          aria-label="Software of the peer"
          value={chosen.software}
          data={snippets.map(({ software: value }) => ({ value, label: value.replace(/ \(.*/, '') }))}
          onChange={setSoftware}
        />
      }
    >
      <Text c="dimmed" mb="xs">
        For {chosen.software}. Give these lines to operators who want to use this notary.{' '}
        {newKeyId === null
          ? 'The key lets them verify our answers.'
          : 'During a rotation they name both keys, so they stay valid when the old key is removed.'}
      </Text>
      <Snippet text={chosen.text} what={`lines for ${chosen.software}`} />
    </Panel>
  );
}

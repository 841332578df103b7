import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';

import { Panel } from '../../ui/page/panel.js';
import { Snippet } from '../../ui/text/snippet.js';
import type { Rotation } from './own-keys-query.js';
import styles from './own-keys.module.css';

/** Ready lines for the configuration of peers that shall trust this notary. */
export function PeerLines({ rotation: { newKeyId, peerSnippets: snippets } }: { rotation: Rotation }) {
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
      <div className={styles.stack}>
        <p className={styles.quiet}>
          For {chosen.software}. Give these lines to operators who want to use this notary.{' '}
          {newKeyId === null
            ? 'The key lets them verify our answers.'
            : 'During a rotation they name both keys, so they stay valid when the old key is removed.'}
        </p>
        <Snippet text={chosen.text} what={`lines for ${chosen.software}`} />
      </div>
    </Panel>
  );
}

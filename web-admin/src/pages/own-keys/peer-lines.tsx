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
      title="For peers' configuration"
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
          For {chosen.software}. Give these lines to operators whose servers shall ask here for keys.{' '}
          {newKeyId === null
            ? 'The key in them is how they recognise us.'
            : 'While a key is replaced they name both, so that either is good: whoever has them needs no other lines when the old key goes.'}
        </p>
        <Snippet text={chosen.text} what={`lines for ${chosen.software}`} />
      </div>
    </Panel>
  );
}

import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';

import { Panel } from '../../ui/page/panel.js';
import { Snippet } from '../../ui/text/snippet.js';
import type { OwnKey } from './own-keys-query.js';
import styles from './own-keys.module.css';

/** Ready lines for the configuration of peers that shall trust this notary. */
export function PeerLines({ snippets }: { snippets: OwnKey['peerSnippets'] }) {
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
          For {chosen.software}. Give these lines to operators whose servers shall ask here for keys. The key
          in them is how they recognise us.
        </p>
        <Snippet text={chosen.text} what={`lines for ${chosen.software}`} />
      </div>
    </Panel>
  );
}

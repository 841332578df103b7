import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';

import { useQuery } from '../../../api/use-query.js';
import { graphql } from '../../../gql/gql.js';
import type { ProxyServer } from '../../../gql/graphql.js';
import { useCommand } from '../../../session/viewer-context.js';
import { QueryView } from '../../../ui/state/query-view.js';
import { Snippet } from '../../../ui/text/snippet.js';
import styles from './first-run.module.css';

const proxyQuery = graphql(`
  query ProxyConfiguration($server: ProxyServer!) {
    proxyConfiguration(server: $server)
  }
`);

const SERVERS: readonly { value: ProxyServer; label: string; word: string }[] = [
  { value: 'NGINX', label: 'nginx', word: 'nginx' },
  { value: 'CADDY', label: 'Caddy', word: 'caddy' },
];

/** Lines for the reverse proxy in front. */
export function ProxyLines() {
  const [server, setServer] = useState<ProxyServer>('NGINX');
  const command = useCommand();
  const query = useQuery(proxyQuery, { server }, { keepPrevious: false });
  const chosen = SERVERS.find(({ value }) => value === server) ?? SERVERS[0];
  if (chosen === undefined) return null;
  return (
    <div className={styles.proxy}>
      <SegmentedControl
        aria-label="Reverse proxy"
        value={server}
        data={SERVERS.map(({ value, label }) => ({ value, label }))}
        onChange={setServer}
      />
      <QueryView query={query}>
        {({ proxyConfiguration }) => (
          <Snippet text={proxyConfiguration.trimEnd()} what={`lines for ${chosen.label}`} />
        )}
      </QueryView>
      <p className={styles.sentence}>
        The same on the machine: <code>{command(`config proxy ${chosen.word}`)}</code>
      </p>
    </div>
  );
}

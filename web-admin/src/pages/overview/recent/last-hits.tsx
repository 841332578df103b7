import { Link } from 'wouter';

import { useQuery } from '../../../api/use-query.js';
import type { OverviewHitsQuery } from '../../../gql/graphql.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { QueryView } from '../../../ui/state/query-view.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { lastHitsQuery } from '../overview-query.js';
import styles from './recent.module.css';

type HitData = OverviewHitsQuery['blockHits']['nodes'][number];

const STAGES: Record<HitData['stage'], string> = {
  TARGET: 'the address itself',
  REDIRECT: 'a redirect',
  OEMBED: 'oEmbed',
  IMAGE: 'the image',
};

/** The last five addresses that were refused. */
export function LastHits() {
  const query = useQuery(lastHitsQuery, {}, { live: 'view' });
  return (
    <Panel title="Last blocked" actions={<Link href="/blocking?tab=hits">All hits</Link>} flush>
      <QueryView query={query}>
        {({ blockHits: { nodes } }) =>
          nodes.length === 0 ? (
            <EmptyState title="Nothing was blocked yet." isSmall />
          ) : (
            <ul className={styles.list}>
              {nodes.map((hit) => (
                <Hit key={hit.id} hit={hit} />
              ))}
            </ul>
          )
        }
      </QueryView>
    </Panel>
  );
}

function Hit({ hit: { at, url, stage, address, rule } }: { hit: HitData }) {
  return (
    <li className={styles.item}>
      <p className={styles.head}>
        <Link href={`/blocking?tab=check&url=${encodeURIComponent(url)}`} className={styles.subject}>
          <UntrustedText text={url} max={60} inside />
        </Link>
        <RelativeTime at={at} />
      </p>
      <p className={styles.message}>
        {STAGES[stage]}
        {address !== null && (
          <>
            {', '}
            <UntrustedText text={address} mono />
          </>
        )}
        {rule !== null && (
          <>
            {', by '}
            <code>{rule.parts.map(({ component, pattern }) => `${component} ${pattern}`).join(', ')}</code>
          </>
        )}
      </p>
    </li>
  );
}

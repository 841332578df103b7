import { useSession } from '../../session/session-context.js';
import { Panel } from '../../ui/page/panel.js';
import { Snippet } from '../../ui/text/snippet.js';
import type { OverviewData } from './overview-query.js';
import styles from './overview.module.css';

/** True while no peer and no client has asked for anything. */
export function isUnused({ keyCache, memoryCache }: OverviewData): boolean {
  return keyCache.hits + keyCache.misses + memoryCache.hits + memoryCache.misses === 0;
}

/** How to make the first request, while there was none. */
export function NoTraffic() {
  const { serverName, pathPrefix } = useSession();
  return (
    <Panel title="No traffic yet" note="make some">
      <div className={styles.stack}>
        <p>Ask for the keys of a server as a peer would; it appears under Keys at once.</p>
        <Snippet text={`curl https://${serverName}${pathPrefix}/key/v2/query/matrix.org`} what="curl line" />
        <p>Before a proxy is set up, see whether a server can be asked at all:</p>
        <Snippet text="vidimus key query matrix.org" what="command" />
      </div>
    </Panel>
  );
}

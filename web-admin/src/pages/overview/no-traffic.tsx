import { useSession } from '../../session/session-context.js';
import { useCommand } from '../../session/viewer-context.js';
import { Panel } from '../../ui/page/panel.js';
import { Snippet } from '../../ui/text/snippet.js';
import type { OverviewData } from './overview-query.js';
import styles from './overview.module.css';

/** True while no peer and no client has asked for anything. */
export function isUnused({ keyCache, memoryCache }: OverviewData): boolean {
  return keyCache.hits + keyCache.misses + memoryCache.hits + memoryCache.misses === 0;
}

/** A server that everybody can ask in one dialect; in the other there is none but ourselves. */
const KNOWN_SERVER = 'matrix.org';
const KNOWN_QUERY = `{"server_keys": {"${KNOWN_SERVER}": {"ed25519:a_RXGa": {}}}}`;

/** How to make the first request, while there was none. */
export function NoTraffic() {
  const { serverName, publicUrl, pathPrefix } = useSession();
  const command = useCommand();
  const isMatrix = pathPrefix === '/_matrix';
  const keys = `${publicUrl}${pathPrefix}/key/v2/query`;
  return (
    <Panel title="No traffic yet" note="make some">
      <div className={styles.stack}>
        <p>
          {isMatrix
            ? 'Ask for the keys of a server as a peer would; it appears under Keys at once.'
            : 'Ask for our own keys as a peer would.'}
        </p>
        <Snippet
          text={isMatrix ? `curl ${keys} \\\n  -d '${KNOWN_QUERY}'` : `curl ${keys}/${serverName}`}
          what="curl line"
        />
        <p>Before a proxy is set up, see whether a server can be asked at all:</p>
        <Snippet text={command(`key query ${isMatrix ? KNOWN_SERVER : serverName}`)} what="command" />
      </div>
    </Panel>
  );
}

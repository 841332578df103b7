import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { graphql } from '../../gql/gql.js';
import { Panel } from '../../ui/page/panel.js';
import { counted } from '../../ui/text/counted.js';
import { CAUSE_WORDS } from './cause-words.js';
import styles from './keys.module.css';

const failuresQuery = graphql(`
  query KeyFailures {
    keyFailures {
      cause
      servers
      lastDay
    }
    overview {
      totals {
        alarmedServers
      }
    }
  }
`);

/** Servers whose keys cannot be fetched, by cause, each leading to its servers; nothing while all is well. */
export function FailureGroups() {
  const { data } = useQuery(failuresQuery, {}, { live: 'list' });
  if (data === undefined) return null;
  const { keyFailures: groups, overview } = data;
  const alarms = overview.totals.alarmedServers;
  if (alarms === 0 && groups.length === 0) return null;
  return (
    <div className={styles.failures}>
      <Panel title="Needs attention" flush>
        <ul className={styles.groups} aria-label="Failures by cause">
          {alarms > 0 && (
            <li className={styles.group}>
              <Link href="/keys?look=yes">
                <b>{counted(alarms, 'server')}</b>: key replaced or contradicted
              </Link>
            </li>
          )}
          {groups.map((group) => (
            <li key={group.cause} className={styles.group}>
              <Link href={`/keys?cause=${group.cause}`}>
                <b>{counted(group.servers, 'server')}</b>: {CAUSE_WORDS[group.cause]}
              </Link>
              <span className={styles.trend}>{counted(group.lastDay, 'failure')} in the last day</span>
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  );
}

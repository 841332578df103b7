import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { graphql } from '../../gql/gql.js';
import type { KeyFailuresQuery } from '../../gql/graphql.js';
import { Panel } from '../../ui/page/panel.js';
import { counted } from '../../ui/text/counted.js';
import { CAUSE_WORDS } from './cause-words.js';
import styles from './keys.module.css';

const failuresQuery = graphql(`
  query KeyFailures {
    keyFailures {
      alarms
      groups {
        cause
        servers
        lastDay
        dayBefore
      }
    }
  }
`);

type Group = KeyFailuresQuery['keyFailures']['groups'][number];

/** Servers whose keys cannot be fetched, by cause, each leading to its servers; nothing while all is well. */
export function FailureGroups() {
  const { data } = useQuery(failuresQuery, {}, { live: 'list' });
  if (data === undefined) return null;
  const { alarms, groups } = data.keyFailures;
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
              <Trend group={group} />
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  );
}

/** Failed fetches of the last day against those of the day before. */
function Trend({ group: { lastDay, dayBefore } }: { group: Group }) {
  const more = lastDay - dayBefore;
  const change =
    more === 0 ? 'as the day before' : `${Math.abs(more)} ${more > 0 ? 'more' : 'fewer'} than before`;
  return (
    <span className={styles.trend}>
      <span aria-hidden="true">{more === 0 ? '→' : more > 0 ? '↗' : '↘'}</span>{' '}
      {lastDay === 1 ? '1 failure' : `${lastDay} failures`} in a day, {change}
    </span>
  );
}

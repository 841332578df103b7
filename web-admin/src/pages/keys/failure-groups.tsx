import { Table } from '@mantine/core';
import '@mantine/core/styles/Table.css';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { graphql } from '../../gql/gql.js';
import { Panel } from '../../ui/page.js';
import { counted } from '../../ui/text/number-words.js';
import { CAUSE_WORDS } from './key-words.js';

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
    <Panel title="Needs attention" flush>
      <Table aria-label="Failures by cause" verticalSpacing={2}>
        <Table.Tbody>
          {alarms > 0 && (
            <Table.Tr>
              <Table.Td>
                <Link href="/keys?look=yes">{counted(alarms, 'server')}: key replaced or contradicted</Link>
              </Table.Td>
              <Table.Td />
            </Table.Tr>
          )}
          {groups.map(({ cause, servers, lastDay }) => (
            <Table.Tr key={cause}>
              <Table.Td>
                <Link href={`/keys?cause=${cause}`}>
                  {counted(servers, 'server')}: {CAUSE_WORDS[cause]}
                </Link>
              </Table.Td>
              <Table.Td ta="right" c="dimmed">
                {counted(lastDay, 'failure')} in the last day
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}

import { useBackend } from '../../../api/backend-context.js';
import { send } from '../../../api/send.js';
import { graphql } from '../../../gql/gql.js';

const tickedServersQuery = graphql(`
  query TickedServers($ids: [ID!]!, $withRecords: Boolean!, $after: String) {
    nodes(ids: $ids) {
      id
      ... on RemoteServer {
        name
        records(first: 100, after: $after) @include(if: $withRecords) {
          nodes {
            id
          }
          pageInfo {
            hasNextPage
            endCursor
          }
        }
      }
    }
  }
`);

/** A server that is still known. */
export interface TickedServer {
  name: string;
  /** All of its records; empty unless they were asked for. */
  recordIds: readonly string[];
}

interface Asked {
  withRecords: boolean;
}

/** So many with a hundred records each stay below what one operation may cost. */
const AT_ONCE = 10;

/** Reads servers by their ids, whatever page of the list they stand on. */
export function useTickedServers(): (ids: readonly string[], asked: Asked) => Promise<TickedServer[]> {
  const { basePath } = useBackend();
  const read = async (ids: readonly string[], after: string | null, { withRecords }: Asked) => {
    const variables = { ids: [...ids], withRecords, after };
    const { nodes } = await send(basePath, tickedServersQuery, { variables, isBatch: true });
    return nodes.flatMap((node) => (node !== null && 'name' in node ? [node] : []));
  };
  const readAll = async (ids: readonly string[], asked: Asked): Promise<TickedServer[]> => {
    const servers: TickedServer[] = [];
    for (const { id, name, records } of await read(ids, null, asked)) {
      const recordIds = records?.nodes.map((record) => record.id) ?? [];
      let end = records?.pageInfo;
      while (end?.hasNextPage === true) {
        const [more] = await read([id], end.endCursor ?? null, asked);
        recordIds.push(...(more?.records?.nodes.map((record) => record.id) ?? []));
        end = more?.records?.pageInfo;
      }
      servers.push({ name, recordIds });
    }
    return servers;
  };
  return async (ids, asked) => {
    const servers: TickedServer[] = [];
    for (let start = 0; start < ids.length; start += AT_ONCE)
      servers.push(...(await readAll(ids.slice(start, start + AT_ONCE), asked)));
    return servers;
  };
}

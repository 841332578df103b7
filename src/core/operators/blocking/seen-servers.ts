import type { Database } from '../../store/db.js';
import type { SeenUrl } from './seen-urls.js';

const PAGE = 500;

/** Servers in the form of URLs, those that were fetched from last first; at most `most`. */
export async function* seenServers({ client }: Database, most: number): AsyncGenerator<SeenUrl> {
  for (let skip = 0; skip < most; skip += PAGE) {
    const rows = await client.remoteServer.findMany({
      select: { serverName: true, lastFetchTs: true },
      orderBy: [{ lastFetchTs: 'desc' }, { serverName: 'asc' }],
      skip,
      take: Math.min(PAGE, most - skip),
    });
    for (const { serverName, lastFetchTs } of rows)
      yield { url: `https://${serverName}/`, ts: Number(lastFetchTs ?? 0), address: null };
    if (rows.length < PAGE) return;
  }
}

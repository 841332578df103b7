import { domainOf } from '../../notary/federation/server-name.js';
import type { Database } from '../../store/db.js';

const MAX_LATEST = 50;

/** Of the 50 servers that gave their keys latest one of each domain, those known longest first. */
export async function knownOrigins({ client }: Database): Promise<string[]> {
  const rows = await client.keyRecord.findMany({
    orderBy: { lastSeenTs: 'desc' },
    take: MAX_LATEST,
    select: { id: true, serverName: true },
  });
  const ofDomain = new Map<string, string>();
  for (const { serverName } of rows.toSorted((a, b) => a.id - b.id)) {
    const domain = domainOf(serverName);
    if (!ofDomain.has(domain)) ofDomain.set(domain, serverName);
  }
  return [...ofDomain.values()];
}

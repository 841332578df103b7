import type { Database } from '../../store/db.js';
import { storableText } from '../../base/text/storable-text.js';

/** What a refresh was to bring. */
export interface RefreshRequirements {
  keyIds: readonly string[];
  /** POSIX ms; null for any validity. */
  minimumValidUntilTs: number | null;
}

/** Which requirements the store does not fulfil; asked after a refresh that went well. */
export async function unmetRequirements(
  { client }: Database,
  serverName: string,
  { keyIds, minimumValidUntilTs }: RefreshRequirements,
): Promise<{ missingKeyIds: string[]; isTooShort: boolean }> {
  const known = await client.verifyKey.findMany({
    where: { serverName, keyId: { in: keyIds.map(storableText) } },
    select: { keyId: true },
  });
  const present = new Set(known.map(({ keyId }) => keyId));
  const server = await client.remoteServer.findFirst({
    where: { serverName },
    select: { validUntilTs: true },
  });
  const validUntilTs = server?.validUntilTs ?? null;
  return {
    missingKeyIds: keyIds.filter((keyId) => !present.has(keyId)),
    isTooShort: minimumValidUntilTs !== null && (validUntilTs === null || validUntilTs < minimumValidUntilTs),
  };
}

import type { Db } from '../../src/core/store/db.js';

const MEDIA_ID = '2027-01-15_AbCdEfGhIjKlMn';

/** Fills every table that lists are made of with so many rows that refer to one another. */
export async function seedRows(client: Db, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => index);
  const base = 1_799_999_000_000n;
  const ts = (index: number): bigint => base + BigInt(index);
  const serverName = (index: number): string => `server-${index}.example`;
  const mediaId = (index: number): string => `${MEDIA_ID}${String(index).padStart(2, 'a')}`.slice(0, 27);
  await client.remoteServer.createMany({
    data: rows.map((index) => ({
      serverName: serverName(index),
      firstAskedTs: ts(index),
      lastFetchTs: ts(index),
      addedTs: ts(index),
      validUntilTs: ts(index) + 10_000_000n,
      dueTs: ts(index) + 5_000_000n,
      keyCount: 1,
    })),
  });
  await client.keyFetch.createMany({
    data: rows.map((index) => ({
      serverName: serverName(index),
      startedTs: ts(index),
      durationMs: 5,
      outcome: 'ok',
      cause: 'query',
      steps: [],
    })),
  });
  await client.media.createMany({
    data: rows.map((index) => ({
      mediaId: mediaId(index),
      userId: '@a:b',
      createdTs: ts(index),
      contentType: 'image/png',
      sniffedType: 'image/png',
      sizeBytes: 10 + index,
      sha256: `${index}`.padStart(64, '0'),
      urlCache: `https://site.example/${index}`,
      host: 'site.example',
    })),
  });
  await client.mediaThumbnail.createMany({
    data: rows.map((index) => ({
      mediaId: mediaId(index),
      width: 32,
      height: 32,
      method: 'crop',
      contentType: 'image/png',
      sizeBytes: 5,
    })),
  });
  await client.previewCache.createMany({
    data: rows.map((index) => ({
      url: `https://site.example/${index}`,
      urlSha256: `${index}`.padStart(64, '0'),
      responseCode: 200,
      expiresTs: ts(index) + 100_000_000n,
      openGraph: '{"og:title":"x"}',
      mediaId: mediaId(index),
      imageMediaId: mediaId(index),
      createdTs: ts(index),
      downloadTs: ts(index),
      host: 'site.example',
      title: 'x',
    })),
  });
  await client.blacklistHit.createMany({
    data: rows.map((index) => ({
      ts: ts(index),
      url: `http://10.0.0.${index}/`,
      stage: 'target',
      rule: '10.0.0.0/8',
      address: `10.0.0.${index}`,
    })),
  });
  await client.jobRun.createMany({
    data: rows.map((index) => ({
      job: 'preview_cleanup',
      cause: 'job',
      startedTs: ts(index),
      finishedTs: ts(index),
      outcome: 'ok',
      counts: { previews: index },
      bytes: 0n,
    })),
  });
  await client.auditEvent.createMany({
    data: rows.map((index) => ({
      ts: ts(index),
      actor: 'operator',
      role: 'admin',
      method: 'code',
      action: 'runJob',
      summary: 'Ran it',
      outcome: 'ok',
      requestId: `r${index}`,
    })),
  });
  await client.accessToken.createMany({
    data: rows.map((index) => ({
      id: `t${index}`,
      tokenSha256: `${index}`.padStart(64, '0'),
      label: `token ${index}`,
      scopes: 'metrics',
      createdTs: ts(index),
    })),
  });
}

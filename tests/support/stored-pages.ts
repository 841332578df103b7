import { createHash } from 'node:crypto';

import { numberedMediaId } from '../graphql/previews/numbered-media-id.js';
import type { TestService } from './service.js';

/** Stores previews of pages whose files lie on disk, quicker than by asking for them. Each file has 4 bytes. */
export async function storePages({ clock, context }: TestService, count: number): Promise<void> {
  const files = context.previewServices.mediaFiles;
  const { client } = context.parts.database;
  const now = BigInt(clock.now());
  const mediaIds = Array.from({ length: count }, (_, index) => numberedMediaId(index));
  // Rows come first: the sweep at the start of a service removes files that no row knows.
  await client.media.createMany({
    data: mediaIds.map((mediaId) => ({
      mediaId,
      userId: '@a:test',
      createdTs: now,
      contentType: 'text/html',
      sizeBytes: 4,
      sha256: '',
      urlCache: 'https://x.test/',
    })),
  });
  await client.previewCache.createMany({
    data: mediaIds.map((mediaId) => {
      const url = `https://x.test/${mediaId}`;
      const urlSha256 = createHash('sha256').update(url).digest('hex');
      const times = { createdTs: now, downloadTs: now, expiresTs: now + 3_600_000n };
      return { url, urlSha256, responseCode: 200, openGraph: '{}', mediaId, ...times };
    }),
  });
  for (const mediaId of mediaIds) {
    const writer = await files.openWriter();
    await writer.write(Buffer.from('page'));
    await writer.close();
    await files.place(writer.path, mediaId);
    writer.release();
  }
}

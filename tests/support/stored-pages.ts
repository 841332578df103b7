import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { filePath } from '../../src/core/preview/media/media-paths.js';
import { numberedMediaId } from '../graphql/previews/numbered-media-id.js';
import { pauseJobs } from './paused-jobs.js';
import type { TestService } from './service.js';

/** Stores previews of pages whose files lie on disk, quicker than by asking for them. Each file has 4 bytes. */
export async function storePages(service: TestService, count: number): Promise<void> {
  await restTheCaretakers(service);
  const { clock, context } = service;
  const { client } = context.parts.database;
  const now = BigInt(clock.now());
  const mediaIds = Array.from({ length: count }, (_, index) => numberedMediaId(index));
  for (const mediaId of mediaIds) {
    const path = join(context.config.media_store_path, filePath(mediaId));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'page');
  }
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
}

/** The jobs that put files and rows right would take half-made ones for orphans, and one makes a preview of its own. */
export async function restTheCaretakers(service: TestService): Promise<void> {
  await service.context.services.stopProbes();
  await pauseJobs(service, ['media_sweep', 'preview_cleanup']);
}

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { newMediaId } from '../src/core/preview/media/media-id.js';
import { filePathParts } from '../src/core/preview/media/media-paths.js';
import { previewColumns } from '../src/core/preview/pipeline/preview-columns.js';
import type { Database } from '../src/core/store/db.js';

const HOUR_MS = 3_600_000;
const KEPT_MS = 7 * 24 * HOUR_MS;
const SUBJECTS = ['Harvest', 'Lighthouse', 'Bees', 'Parish meeting', 'Ferry', 'Market day', 'New bridge'];

/** Stores previews of the last three days as the pipeline would have: a row, its media and the file of each. */
export async function storePreviews({ client }: Database, store: string, count: number): Promise<void> {
  const made = Array.from({ length: count }, (_, at) => previewOf(at, count));
  for (const { media } of made) {
    const { folder, name } = filePathParts(media.mediaId);
    mkdirSync(join(store, folder), { recursive: true });
    writeFileSync(join(store, folder, name), ' '.repeat(media.sizeBytes));
  }
  await client.media.createMany({ data: made.map(({ media }) => media) });
  await client.previewCache.createMany({ data: made.map(({ preview }) => preview) });
}

function previewOf(at: number, count: number) {
  const createdTs = Date.now() - Math.floor(((count - at) / count) * 72 * HOUR_MS);
  const subject = SUBJECTS[at % SUBJECTS.length] ?? '';
  const url = `https://${siteOf(at)}/articles/${at}-${subject.toLowerCase().replaceAll(' ', '-')}`;
  const openGraph =
    at % 20 === 0 ? '{}' : JSON.stringify({ 'og:title': `${subject}, part ${at}`, 'og:type': 'article' });
  const columns = previewColumns(url, openGraph);
  const mediaId = newMediaId(createdTs);
  const media = {
    mediaId,
    userId: `@user-${at % 40}:demo.example`,
    createdTs: BigInt(createdTs),
    contentType: 'text/html',
    sizeBytes: 200 + ((at * 7919) % 4000),
    sha256: '',
    urlCache: url,
    host: columns.host,
    hostEnd: columns.hostEnd,
  };
  const preview = {
    url,
    urlSha256: createHash('sha256').update(url).digest('hex'),
    responseCode: 200,
    openGraph,
    mediaId,
    createdTs: BigInt(createdTs),
    downloadTs: BigInt(createdTs),
    expiresTs: BigInt(createdTs + KEPT_MS),
    ...columns,
  };
  return { media, preview };
}

/** Some sites have many pages, most a few; one in three is a subdomain. */
function siteOf(at: number): string {
  const number = Math.floor(Math.sqrt((at * 7919) % 3600));
  return number % 3 === 0 ? `www.site-${number}.example` : `site-${number}.example`;
}

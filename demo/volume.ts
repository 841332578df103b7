import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { newMediaId } from '../src/core/preview/media/media-id.js';
import { filePath } from '../src/core/preview/media/media-paths.js';
import { previewColumns } from '../src/core/preview/pipeline/preview-store.js';
import { hostEnd, hostOfUrl } from '../src/core/base/text/url-host.js';
import type { Database } from '../src/core/store/db.js';
import { HEIGHT, WIDTH, drawImages } from '../tests/browser/support/pages-of-site.js';

/** What the demo is called, as a peer would ask for it. */
export const SERVER_NAME = 'notary.demo.example';
const HOUR_MS = 3_600_000;
const KEPT_MS = 7 * 24 * HOUR_MS;
const SUBJECTS = ['Harvest', 'Lighthouse', 'Bees', 'Parish meeting', 'Ferry', 'Market day', 'New bridge'];

/** Each so manieth preview has an image, of the kind that a page names. */
const ONE_WITH_IMAGE_IN = 8;

/** Stores previews of the last three days as the pipeline would have: a row, its media and the file of each. */
export async function storePreviews({ client }: Database, store: string, count: number): Promise<void> {
  const images = Object.values(await drawImages());
  const made = Array.from({ length: count }, (_, at) => previewOf(at, { count, images }));
  const files = made.flatMap(({ page, image }) => (image === null ? [page] : [page, image]));
  for (const { row, body } of files) {
    const path = join(store, filePath(row.mediaId));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, body);
  }
  await client.media.createMany({ data: files.map(({ row }) => row) });
  await client.previewCache.createMany({ data: made.map(({ preview }) => preview) });
}

interface Volume {
  /** How many previews there will be. */
  count: number;
  /** JPEG. */
  images: readonly Buffer[];
}

function previewOf(at: number, { count, images }: Volume) {
  const createdTs = Date.now() - Math.floor(((count - at) / count) * 72 * HOUR_MS);
  const subject = SUBJECTS[at % SUBJECTS.length] ?? '';
  const site = `https://${siteOf(at)}`;
  const url = `${site}/articles/${at}-${subject.toLowerCase().replaceAll(' ', '-')}`;
  const owner = { userId: `@user-${at % 40}:demo.example`, createdTs };
  const body = at % ONE_WITH_IMAGE_IN === 3 ? images[at % images.length] : undefined;
  const image = body === undefined ? null : mediaOf(body, { ...owner, url: `${site}/images/${at}.jpg` });
  const page = mediaOf(Buffer.alloc(200 + ((at * 7919) % 4000), ' '), { ...owner, url });
  const said = {
    'og:title': `${subject}, part ${at}`,
    'og:type': 'article',
    ...(image === null ? {} : { 'og:image': `svc://${SERVER_NAME}/${image.row.mediaId}` }),
  };
  const openGraph = JSON.stringify(at % 20 === 0 ? {} : said);
  const preview = {
    url,
    urlSha256: createHash('sha256').update(url).digest('hex'),
    responseCode: 200,
    openGraph,
    mediaId: page.row.mediaId,
    createdTs: BigInt(createdTs),
    downloadTs: BigInt(createdTs),
    expiresTs: BigInt(createdTs + KEPT_MS),
    ...previewColumns(url, openGraph),
  };
  return { page, image, preview };
}

/** A page, or an image where the address says so. */
function mediaOf(
  body: Buffer,
  { url, userId, createdTs }: { url: string; userId: string; createdTs: number },
) {
  const host = hostOfUrl(url);
  const isImage = url.endsWith('.jpg');
  const row = {
    mediaId: newMediaId(createdTs),
    userId,
    createdTs: BigInt(createdTs),
    contentType: isImage ? 'image/jpeg' : 'text/html',
    sniffedType: isImage ? 'image/jpeg' : null,
    width: isImage ? WIDTH : null,
    height: isImage ? HEIGHT : null,
    sizeBytes: body.length,
    sha256: '',
    urlCache: url,
    host,
    hostEnd: hostEnd(host),
  };
  return { row, body };
}

/** Some sites have many pages, most a few; one in three is a subdomain. */
function siteOf(at: number): string {
  const number = Math.floor(Math.sqrt((at * 7919) % 3600));
  return number % 3 === 0 ? `www.site-${number}.example` : `site-${number}.example`;
}

import { UNSTATED_TYPE } from '../../preview/download/body/content-type.js';
import type { Download, DownloadRequest } from '../../preview/download/download.js';
import { outboundError } from '../../base/errors/outbound-error.js';

/** No name in DNS (RFC 6761 §6.4): nobody is asked. */
const SITE = 'https://probe.invalid';
const IMAGE_URL = `${SITE}/image.png`;

/** Where the page seems to be. */
export const PROBE_URL = `${SITE}/`;

/** What its preview is to be called. */
export const PROBE_TITLE = 'A page of our own';

/** Its image: a PNG of one colour, 640 × 480 pixels. */
export const PROBE_IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgAQMAAAAPH06nAAAAA1BMVEUvb48LCdXeAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAPUlEQVR42u3BAQ0AAADC' +
    'oPdPbQ43oAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADgzwCX4AABS8wbSgAAAABJRU5ErkJggg==',
  'base64',
);

/** The page as it is read and stored. */
export const PROBE_PAGE = Buffer.from(
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Vidimus</title>' +
    `<meta property="og:title" content="${PROBE_TITLE}"><meta property="og:description" content="For health checks.">` +
    `<meta property="og:image" content="${IMAGE_URL}"></head><body></body></html>`,
);

const CONTENTS: ReadonlyMap<string, { contentType: string; body: Buffer }> = new Map([
  [PROBE_URL, { contentType: 'text/html; charset=utf-8', body: PROBE_PAGE }],
  [IMAGE_URL, { contentType: 'image/png', body: PROBE_IMAGE }],
]);

/** In the place of a downloader: hands the page and its image over, and refuses all else with 502. */
export async function handOver({ url }: DownloadRequest): Promise<Download> {
  const { contentType, body } = CONTENTS.get(url) ?? { contentType: UNSTATED_TYPE, body: null };
  if (body === null) throw outboundError('dns_no_address', `${url} is not of the page`);
  return {
    finalUrl: url,
    redirects: 0,
    status: 200,
    contentType,
    fileName: null,
    etag: null,
    // A copy: the second thread may take it.
    body: Buffer.from(body),
    sizeBytes: body.length,
    headers: new Map(),
  };
}

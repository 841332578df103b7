import { ApiError } from '../../base/errors/api-error.js';
import { TimedTrace, type Trace } from '../../base/trace.js';
import { sniffImageType } from '../../preview/media/image/image-type.js';
import type { BuiltPreview } from '../../preview/pipeline/preview-job.js';
import { mediaIdOf } from '../../preview/pipeline/preview-columns.js';
import { failed, fine, unproved, warning, type Finding } from '../overview/health/health-check.js';
import { adviceFor } from '../previews/failure-advice.js';
import type { Probe } from './probe.js';
import { PROBE_IMAGE, PROBE_PAGE, PROBE_TITLE } from './probe-page.js';
import type { RouteAnswer } from './routes-probe.js';

export interface PreviewProbeOptions {
  /** Where clients load media of our name, without a slash at the end, and whether that is the public address. */
  media: { url: string; serverName: string; isPublic: boolean };
  /** Makes a preview of the page of `probe-page.ts`, and stores what it is made of; tells each media. */
  make: (
    watch: { trace: Trace; noteMedia: (mediaId: string) => void },
    signal: AbortSignal,
  ) => Promise<BuiltPreview>;
  /** Asks as clients do, with an access token where one is wanted. */
  load: (url: string, token: string | null, signal: AbortSignal) => Promise<RouteAnswer & { body: Buffer }>;
  /** Downloads as for a preview: looked up, judged, and through the proxy of previews. */
  download: (url: string, signal: AbortSignal) => Promise<Buffer>;
  /** Lends a token that opens media, for the time of the work; `null` where nobody wants one. */
  withToken: <T>(work: (token: string | null) => Promise<T>) => Promise<T>;
  /** Removes media with its files. */
  forget: (mediaIds: readonly string[]) => Promise<void>;
  /** How the lines for a proxy are printed. */
  command: string;
}

/** Whether previews are made, and clients get their images and thumbnails. */
export function previewProbe(options: PreviewProbeOptions): Probe {
  const { url } = options.media;
  return {
    line: {
      key: 'preview_page',
      title: 'A preview of our own',
      how: `made a preview of a page of our own, and loaded its image and a thumbnail at ${url}`,
    },
    job: {
      name: 'prove_preview',
      title: 'Preview a page of our own',
      description:
        'Makes a preview of a small page that is built in, loads its image and a thumbnail as clients do, downloads ' +
        'the page as previews do, and removes all of it again. Keeps the outcome for the health list.',
    },
    subject: url,
    prove: async (signal) => {
      const made: string[] = [];
      try {
        return await provePreview(options, made, signal);
      } finally {
        await options.forget(made);
      }
    },
  };
}

async function provePreview(
  options: PreviewProbeOptions,
  made: string[],
  signal: AbortSignal,
): Promise<Finding> {
  const trace = new TimedTrace(() => performance.now());
  try {
    const noteMedia = (mediaId: string): unknown => made.push(mediaId);
    const { openGraph, mediaId } = await options.make({ trace, noteMedia }, signal);
    const image = mediaIdOf(openGraph.get('og:image'));
    const isRead = openGraph.get('og:title') === PROBE_TITLE;
    const step = trace.steps.findLast(({ status }) => status === 'failed' || status === 'warning');
    if (!isRead || image === null) {
      const what = isRead ? 'image' : 'title';
      return failed(`The preview of a page of our own has no ${what}${because(step?.sentence)}.`, LOOK, TRY);
    }
    return await options.withToken((token) => proveWay(options, { page: mediaId, image, token }, signal));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const why = `No preview can be made of a page of our own: ${error.detail ?? error.message}.`;
    if (error.reason === 'overloaded') return unproved(why, TRY);
    return failed(why, adviceFor(error.reason) ?? LOOK, TRY);
  }
}

const SET_PUBLIC_URL = 'Set public_baseurl to the address at which clients load media.';
const LOOK = 'The log says more at the time of this line.';
const TRY = '/try';

interface Made {
  page: string;
  image: string;
  token: string | null;
}

/** What clients load one after the other; the first that is not what it should be is what is found. */
async function proveWay(options: PreviewProbeOptions, made: Made, signal: AbortSignal): Promise<Finding> {
  const { url, serverName, isPublic } = options.media;
  const { page, image, token } = made;
  const isImage = (body: Buffer): boolean => body.equals(PROBE_IMAGE);
  const isThumbnail = (body: Buffer): boolean => !isImage(body) && sniffImageType(body) !== null;
  const wanted = [
    { what: 'image', url: `${url}/download/${serverName}/${image}`, isIt: isImage },
    { what: 'thumbnail', url: `${url}/thumbnail/${serverName}/${image}${THUMBNAIL}`, isIt: isThumbnail },
  ];
  for (const each of wanted) {
    const objection = await objectionTo({ ...each, token }, options, signal);
    if (objection !== null) return objection;
  }
  const proved = `A page of our own was previewed; its image and a thumbnail came from ${url}`;
  const rest = isPublic ? '' : ' Not proved: the way through a proxy, since public_baseurl is not set.';
  const query = token === null ? '' : `?access_token=${token}`;
  try {
    const body = await options.download(`${url}/download/${serverName}/${page}${query}`, signal);
    if (body.equals(PROBE_PAGE)) {
      const sentence = `${proved}, the page, too.${rest}`;
      return isPublic ? fine(sentence, TRY) : { ...unproved(sentence, TRY), advice: SET_PUBLIC_URL };
    }
    return warning(
      `${proved}. Downloaded as for a preview, the page is another.${rest}`,
      LOOK_AT_PROXIES,
      TRY,
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const why = (error.detail ?? error.message).replace(query, '');
    return downloadFinding(error, { proved, rest, why });
  }
}

const THUMBNAIL = '?width=32&height=32&method=scale';

interface Wanted {
  what: string;
  url: string;
  isIt: (body: Buffer) => boolean;
  token: string | null;
}

async function objectionTo(
  { what, url, isIt, token }: Wanted,
  { load, command }: PreviewProbeOptions,
  signal: AbortSignal,
): Promise<Finding | null> {
  const lines = `"${command}" prints the lines for a proxy.`;
  try {
    const { status, headers, body } = await load(url, token, signal);
    if (status === 200 && isIt(body)) return null;
    const isOurs = headers['error-reason'] !== undefined;
    return failed(
      `The ${what} of a preview of our own does not come: ${url} is answered with status ${status}` +
        `${status === 200 ? ` and ${body.length} other bytes` : ''}${isOurs ? '' : ' by another server'}.`,
      isOurs ? LOOK : `Send media of our name here: ${lines}`,
      TRY,
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return failed(
      `The ${what} of a preview of our own does not come: ${url} cannot be asked: ${error.detail ?? error.message}.`,
      `Look at the proxy. ${lines}`,
      TRY,
    );
  }
}

const LOOK_AT_PROXIES = 'Compare dns, previews.proxy_url and what stands before public_baseurl.';

/** That our own address is private says nothing of the sites that people link to. */
function downloadFinding(
  error: ApiError,
  { proved, rest, why }: { proved: string; rest: string; why: string },
): Finding {
  if (error.reason === 'address_blocked')
    return {
      ...unproved(
        `${proved}. Not proved: downloads, since our own address may not be asked: ${why}.${rest}`,
        TRY,
      ),
      advice:
        'Nothing has to be done. To have downloads proved, too, set public_baseurl to a public address.',
    };
  return warning(
    `${proved}. Downloaded as for a preview, the page does not come: ${why}.${rest}`,
    LOOK_AT_PROXIES,
    TRY,
  );
}

function because(sentence: string | undefined): string {
  return sentence === undefined ? '' : `: ${sentence.replace(/\.$/, '')}`;
}

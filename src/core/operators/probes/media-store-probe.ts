import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';

import { MINUTE_MS } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import { S3Failure } from '../../net/object-storage/s3-failure.js';
import type { MediaStorage } from '../../preview/media/storage/media-storage.js';
import { failed, fine, warning, type Finding } from '../overview/health/health-check.js';
import type { Probe } from './probe.js';

const HREF = '/settings?q=media.s3';
const FOLDER = 'health';
/** Beside the folders of media, so that the garbage collection does not look at it. */
const PATH = `${FOLDER}/probe`;
const BODY = Buffer.from('vidimus probe');
const FILE = {
  body: BODY,
  sizeBytes: BODY.length,
  sha256: createHash('sha256').update(BODY).digest('hex'),
};

const CLOCK_ADVICE = 'Run a time service such as chrony on both.';

const ADVICE: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Make the bucket, or correct media.s3.bucket or media.s3.endpoint.',
  AuthorizationHeaderMalformed: 'Correct media.s3.region.',
  InvalidAccessKeyId: 'Correct media.s3.access_key_id.',
  SignatureDoesNotMatch: 'Correct media.s3.access_key_id, or the secret in media.s3.secret_access_key_path.',
  AccessDenied: 'Allow the access key to get, put, delete and list objects below media.s3.prefix.',
  RequestTimeTooSkewed: CLOCK_ADVICE,
};

/** Object storage as it is tried. */
export interface ProbedStore {
  storage: Pick<MediaStorage, 'put' | 'get' | 'hasFolder' | 'remove'>;
  /** Its name for people. */
  place: string;
  clockOffsetMs(): Promise<number>;
}

/** What to say of a clock that differs by a minute or more; `null`: nothing. Signatures fail at fifteen. */
export function clockOffsetText(offsetMs: number): string | null {
  if (Math.abs(offsetMs) < MINUTE_MS) return null;
  const minutes = Math.round(Math.abs(offsetMs) / MINUTE_MS);
  return `its clock is ${minutes} minutes ${offsetMs > 0 ? 'ahead of' : 'behind'} that of this machine`;
}

/** Whether object storage stores, reads, lists and deletes. */
export function mediaStoreProbe(store: ProbedStore): Probe {
  return {
    line: {
      key: 'media_store',
      title: 'Media store',
      how: 'stored, read, listed and deleted a small object',
    },
    job: {
      name: 'prove_media_store',
      title: 'Try the media store',
      description:
        'Stores a small object beside the media, reads it, lists it and deletes it again, and keeps the outcome for ' +
        'the health list. Changes nothing else.',
    },
    subject: store.place,
    prove: () => proveMediaStore(store),
  };
}

async function proveMediaStore(store: ProbedStore): Promise<Finding> {
  const { storage, place } = store;
  const startedMs = performance.now();
  try {
    await storage.put(PATH, FILE);
    const file = await storage.get(PATH);
    const isSame = file !== null && (await text(file.body)) === BODY.toString();
    const isListed = await storage.hasFolder(FOLDER);
    await storage.remove(PATH);
    if (!isSame || !isListed) {
      const what = isSame ? 'does not list' : 'does not give back';
      return failed(`${place} ${what} what was just stored.`, 'Look at what else writes there.', HREF);
    }
    const offset = clockOffsetText(await store.clockOffsetMs());
    if (offset !== null) return warning(`${place} works, but ${offset}.`, CLOCK_ADVICE, HREF);
    const ms = Math.round(performance.now() - startedMs);
    return fine(`${place} stored, read, listed and deleted an object in ${ms} ms.`, HREF);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const advice = error instanceof S3Failure ? ADVICE[error.failure] : undefined;
    return failed(
      `${place}: ${error.detail ?? error.message}. New previews and media are refused with 503.`,
      advice ?? 'Look whether the store runs, and whether media.s3.endpoint is its address.',
      HREF,
    );
  }
}

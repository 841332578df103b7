import { text } from 'node:stream/consumers';

import { ApiError } from '../../../base/errors/api-error.js';
import type { S3Bucket } from '../../../net/object-storage/s3-bucket.js';
import { failed, ok, type Check } from '../health.js';

const HREF = '/settings?q=media.s3';
/** Beside the folders of media, so that the garbage collection passes over it. */
const NAME = 'health/probe';
const BODY = Buffer.from('vidimus probe');

export interface ObjectStorageSources {
  bucket: Pick<S3Bucket, 'put' | 'get' | 'list' | 'delete'>;
  prefix: string;
  /** Its name for people. */
  place: string;
}

/** Whether object storage stores, reads, lists and deletes. */
export function objectStorageCheck({ bucket, prefix, place }: ObjectStorageSources): Check {
  const key = prefix + NAME;
  const check: Check['check'] = async () => {
    try {
      await bucket.put(key, BODY);
      const file = await bucket.get(key, undefined);
      const isSame = file !== null && (await text(file.body)) === BODY.toString();
      const { keys } = await bucket.list({ prefix: key, after: '', limit: 1 });
      await bucket.delete(key);
      if (isSame && keys.includes(key)) return ok(`${place} stores, reads, lists and deletes.`, HREF);
      return failed(`${place} does not return what was stored.`, 'Check what else writes there.', HREF);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const message = `${place}: ${error.detail ?? error.message}. New previews and media are refused with 503.`;
      return failed(message, 'Check that the store runs, and the settings of media.s3.', HREF);
    }
  };
  const how = 'stored, read and deleted an object';
  return { id: 'media_storage', title: 'Media storage', how, isProbe: true, check };
}

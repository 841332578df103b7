import { text } from 'node:stream/consumers';

import { ApiError } from '../../../base/errors/api-error.js';
import type { MediaStorage } from '../../../preview/media/storage/media-storage.js';
import { failed, ok, type Check } from '../health.js';

const HREF = '/settings?q=media.s3';
/** Beside the folders of media, so that the garbage collection passes over it. */
const FOLDER = 'health';
const PATH = `${FOLDER}/probe`;
const BODY = Buffer.from('vidimus probe');

export interface ObjectStorageSources {
  storage: Pick<MediaStorage, 'put' | 'get' | 'hasFolder' | 'remove'>;
  /** Its name for people. */
  place: string;
}

/** Whether object storage stores, reads, lists and deletes. */
export function objectStorageCheck({ storage, place }: ObjectStorageSources): Check {
  const check: Check['check'] = async () => {
    try {
      await storage.put(PATH, BODY);
      const file = await storage.get(PATH);
      const isSame = file !== null && (await text(file.body)) === BODY.toString();
      const isListed = await storage.hasFolder(FOLDER);
      await storage.remove(PATH);
      if (isSame && isListed) return ok(`${place} stores, reads, lists and deletes.`, HREF);
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

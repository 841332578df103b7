import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';

import { thumbnailName } from '../media-paths.js';
import type {
  KeepJob,
  KeepOptions,
  KeptMedia,
  KeptThumbnail,
  MadeThumbnails,
  MediaInspector,
  MediaPaths,
  MediaProcessor,
  OnDecoded,
  ThumbnailBytes,
  ThumbnailJob,
} from './media-jobs.js';
import type { MediaStorage } from './media-storage.js';

/** Keeps media in whatever storage; what takes long on the processor is the inspector's. */
export class StoredMediaProcessor implements MediaProcessor {
  constructor(
    private readonly storage: Pick<MediaStorage, 'get' | 'put'>,
    private readonly inspector: MediaInspector,
  ) {}

  /** The bytes are stored only once it is known what they are: the storage is told their digest. */
  async keep({ paths, ...job }: KeepJob, { mayTake, onBack }: KeepOptions): Promise<KeptMedia> {
    let bytes = job.bytes;
    const kept = await this.inspector.inspect(job, {
      mayTake,
      onBack: (back) => {
        bytes = back;
        onBack?.(back);
      },
    });
    await this.storage.put(paths.file, { body: bytes, ...kept });
    return kept;
  }

  async makeThumbnails({ paths, ...job }: ThumbnailJob, onDecoded?: OnDecoded): Promise<MadeThumbnails> {
    const file = await this.storage.get(paths.file);
    if (file === null) return { image: null, decodeError: null, decodeMs: 0 };
    const { image, ...decoded } = await this.inspector.render(await buffer(file.body), job, onDecoded);
    if (image === null) return { image, ...decoded };
    const { thumbnails, ...about } = image;
    return { image: { ...about, thumbnails: await this.#keepThumbnails(paths, thumbnails) }, ...decoded };
  }

  async #keepThumbnails(paths: MediaPaths, thumbnails: readonly ThumbnailBytes[]): Promise<KeptThumbnail[]> {
    return Promise.all(
      thumbnails.map(async ({ bytes, ...key }) => {
        const sizeBytes = bytes.length;
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        await this.storage.put(join(paths.thumbnails, thumbnailName(key)), {
          body: bytes,
          sizeBytes,
          sha256,
        });
        return { sizeBytes, ...key };
      }),
    );
  }
}

import type { ThumbnailKey } from '../media-paths.js';
import type { PixelSize, ThumbnailSize } from '../image/thumbnail-sizes.js';

/** Absolute paths of what belongs to one media. */
export interface MediaPlaces {
  /** In the same file system; nothing but this media uses it. */
  temporary: string;
  file: string;
  /** Folder of its thumbnails. */
  thumbnails: string;
}

/** What is wanted of a picture. */
export interface PictureWish {
  sizes: readonly ThumbnailSize[];
  /** Pictures with as many pixels or more are not decoded. */
  maxPixels: number;
  blurhash: boolean;
}

/** A download to keep. */
export interface KeepJob {
  bytes: Buffer;
  places: MediaPlaces;
  /** `null`: not decoded, whatever it is. */
  picture: PictureWish | null;
}

/** What may be done with the bytes of a download meanwhile. */
export interface KeepOptions {
  mayTake: boolean;
  onBack?: ((bytes: Buffer) => void) | undefined;
}

/** A stored thumbnail. */
export interface KeptThumbnail extends ThumbnailKey {
  sizeBytes: number;
}

/** What a decoded picture gave: its size after EXIF orientation and the stored thumbnails. */
export interface KeptPicture extends PixelSize {
  thumbnails: KeptThumbnail[];
  /** `null` when not asked for. */
  blurhash: string | null;
}

/** A download whose files are in their places. */
export interface KeptMedia {
  sizeBytes: number;
  /** Hex. */
  sha256: string;
  /** Image type by content; `null`: no known image. */
  sniffedType: string | null;
  /** `null` when it was not to be decoded, is no picture, or cannot be. */
  picture: KeptPicture | null;
  /** Why it could not be decoded. */
  fault: string | null;
  /** Time that decoding and thumbnails took, files excluded. */
  decodeMs: number;
}

/** Thumbnails to make of a stored picture. */
export interface ThumbnailJob {
  places: MediaPlaces;
  /** Its type by content, one of `DECODABLE_TYPES`. */
  type: string;
  picture: PictureWish;
}

/** What became of that; without thumbnails there is a fault. */
export interface MadeThumbnails {
  thumbnails: KeptThumbnail[];
  fault: string | null;
}

/** Does the work on files and pixels: in this thread, or by asking another one. Errors are the file system's. */
export interface MediaHands {
  /**
   * Puts a download and its thumbnails in their places. Nothing is left when it rejects. With `mayTake` another
   * thread may move the bytes to itself; `onBack` makes it give them back, and is told where they are then.
   */
  keep(job: KeepJob, options: KeepOptions): Promise<KeptMedia>;
  /** Makes thumbnails of a stored picture and puts them beside those there are. */
  makeThumbnails(job: ThumbnailJob): Promise<MadeThumbnails>;
}

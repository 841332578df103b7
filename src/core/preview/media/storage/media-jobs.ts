import type { ThumbnailKey } from '../media-paths.js';
import type { PixelSize, ThumbnailSize } from '../image/thumbnail-sizes.js';

/** Paths in the media store of what belongs to one media. */
export interface MediaPaths {
  /** Nothing but this media uses it. */
  temporary: string;
  file: string;
  /** Folder of its thumbnails. */
  thumbnails: string;
}

/** What is wanted of an image. */
export interface ImageOptions {
  sizes: readonly ThumbnailSize[];
  /** Images with as many pixels or more are not decoded. */
  maxPixels: number;
  blurhash: boolean;
  /** Its size after EXIF orientation; `null`: the decoder is asked. */
  size: PixelSize | null;
}

/** A download to keep. */
export interface KeepJob {
  bytes: Buffer;
  paths: MediaPaths;
  /** Images with as many pixels or more are not decoded; `null`: the size of an image is not looked for. */
  maxPixels: number | null;
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

/** An image that could be decoded: its size after EXIF orientation. */
export interface DecodedImage extends PixelSize {
  /** `null` when not asked for. */
  blurhash: string | null;
}

/** Told of an image as soon as it is decoded, before its thumbnails are made. */
export type OnDecoded = (image: DecodedImage) => void;

/** What is wanted of an image within a thread. */
export interface ToldImageOptions extends ImageOptions {
  onDecoded?: OnDecoded | undefined;
}

/** The same with its stored thumbnails. */
export interface KeptImage extends DecodedImage {
  thumbnails: KeptThumbnail[];
}

/** A download whose file is at its path. */
export interface KeptMedia {
  sizeBytes: number;
  /** Hex. */
  sha256: string;
  /** Image type by content; `null`: no known image. */
  sniffedType: string | null;
  /** After EXIF orientation, by the head of an image; `null`: not looked for, or only decoding tells. */
  size: PixelSize | null;
}

/** Thumbnails to make of a stored image. */
export interface ThumbnailJob {
  paths: MediaPaths;
  /** Its type by content, one of `DECODABLE_TYPES`. */
  type: string;
  image: ImageOptions;
}

/** What became of that. */
export interface MadeThumbnails {
  /** `null` when it cannot be decoded or is not there any more. */
  image: KeptImage | null;
  /** Why it cannot. */
  decodeError: string | null;
  /** Time that decoding and thumbnails took, files excluded. */
  decodeMs: number;
}

export interface ThumbnailBytes extends ThumbnailKey {
  bytes: Buffer;
}

/** What became of an image that was decoded. */
export interface RenderedImage extends Omit<MadeThumbnails, 'image'> {
  /** `null` when it cannot be decoded. */
  image: (DecodedImage & { thumbnails: ThumbnailBytes[] }) | null;
}

/** What does the part of the work that needs no storage: in this thread, or by asking another one. */
export interface MediaInspector {
  /** What the bytes of a download are. */
  inspect(job: Omit<KeepJob, 'paths'>, options: KeepOptions): Promise<KeptMedia>;
  /** Makes thumbnails of an image. */
  render(bytes: Buffer, job: Omit<ThumbnailJob, 'paths'>, onDecoded?: OnDecoded): Promise<RenderedImage>;
}

/** Does the work on files and pixels: in this thread, or by asking another one. Errors are the file system's. */
export interface MediaProcessor {
  /**
   * Puts a download at its path. Nothing is left when it rejects. With `mayTake` another thread may move the bytes
   * to itself; `onBack` makes it give them back, and is told where they are then.
   */
  keep(job: KeepJob, options: KeepOptions): Promise<KeptMedia>;
  /** Makes thumbnails of a stored image and puts them beside those there are. */
  makeThumbnails(job: ThumbnailJob, onDecoded?: OnDecoded): Promise<MadeThumbnails>;
}

import { itemsOfType, metaOf, theOnly, type Box } from './avif-boxes.js';

const CODED: ReadonlySet<string> = new Set(['av01']);
/** A progressive image may have one for each layer of AV1. */
const MAX_FRAMES = 4;
/** OBUs that make the decoder decode, or show, a frame (AV1 specification, 6.2.2). */
const FRAME_TYPES: ReadonlySet<number> = new Set([3, 6]);
const IN_FILE = 0;
const IN_META = 1;

/**
 * Refuses an AVIF of whose images one has more frames than an image needs: the decoder decodes all of them to show one,
 * 22 ms for 190 bytes where there are 4 million pixels, and nothing stops it meanwhile.
 * @throws Error for such a one, and when its images are not where the decoder alone can find them.
 */
export function refuseManyFrames(bytes: Buffer): void {
  const meta = metaOf(bytes);
  const images = itemsOfType(theOnly(meta, 'iinf'), CODED);
  for (const { item, parts } of itemsOf(bytes, meta)) {
    if (images.has(item) && frames(Buffer.concat(parts)) > MAX_FRAMES) {
      throw new Error('an AVIF of many frames');
    }
  }
}

/** ISO/IEC 14496-12, 8.11.3: where the bytes of each item are. */
function* itemsOf(bytes: Buffer, meta: readonly Box[]): Generator<{ item: number; parts: Buffer[] }> {
  const read = new LocationReader(theOnly(meta, 'iloc'));
  for (let left = read.next(read.version === 2 ? 4 : 2); left > 0; left -= 1) {
    const item = read.next(read.version === 2 ? 4 : 2);
    const place = read.version === 0 ? IN_FILE : read.next(2) & 0x0f;
    if (place > IN_META) throw new Error('an AVIF of items within items');
    const source = place === IN_FILE ? bytes : theOnly(meta, 'idat');
    read.next(2);
    yield { item, parts: read.extents().map(({ start, end }) => source.subarray(start, end)) };
  }
}

/** Reads an `iloc` box from its first number to its last. */
class LocationReader {
  readonly version: number;
  readonly #offsetBytes: number;
  readonly #lengthBytes: number;
  readonly #baseBytes: number;
  readonly #indexBytes: number;
  #at = 6;

  constructor(private readonly iloc: Buffer) {
    const sizes = iloc.readUInt16BE(4);
    this.version = iloc.readUInt8(0);
    this.#offsetBytes = sizes >> 12;
    this.#lengthBytes = (sizes >> 8) & 0x0f;
    this.#baseBytes = (sizes >> 4) & 0x0f;
    this.#indexBytes = this.version === 0 ? 0 : sizes & 0x0f;
  }

  next(width: number): number {
    const at = this.#at;
    this.#at += width;
    if (width === 0) return 0;
    return width === 8 ? Number(this.iloc.readBigUInt64BE(at)) : this.iloc.readUIntBE(at, width);
  }

  /** A length of 0 is all that follows. */
  extents(): { start: number; end: number | undefined }[] {
    const base = this.next(this.#baseBytes);
    return Array.from({ length: this.next(2) }, () => {
      this.next(this.#indexBytes);
      const start = base + this.next(this.#offsetBytes);
      const length = this.next(this.#lengthBytes);
      return { start, end: length === 0 ? undefined : start + length };
    });
  }
}

/** How many frames are in the OBUs of an image (AV1 specification, 5.3), counted up to one too many. */
function frames(obus: Buffer): number {
  let count = 0;
  let at = 0;
  while (at < obus.length && count <= MAX_FRAMES) {
    const head = obus.readUInt8(at);
    if (FRAME_TYPES.has((head >> 3) & 0x0f)) count += 1;
    at += (head & 0x04) === 0 ? 1 : 2;
    if ((head & 0x02) === 0) break;
    const size = leb128(obus, at);
    at += size.bytes + size.value;
  }
  return count;
}

function leb128(bytes: Buffer, from: number): { value: number; bytes: number } {
  let value = 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = bytes[from + index] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if ((byte & 0x80) === 0) return { value, bytes: index + 1 };
  }
  return { value, bytes: 8 };
}

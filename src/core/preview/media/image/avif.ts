/** Beside one another; the decoder itself takes a few hundred. */
const MAX_BOXES = 1000;
/** A progressive image may have one for each layer of AV1. */
const MAX_FRAMES = 4;
/** OBUs that make the decoder decode, or show, a frame (AV1 specification, 6.2.2). */
const FRAME_TYPES: ReadonlySet<number> = new Set([3, 6]);
/** Items that the decoder puts together of others. */
const WHOLES: ReadonlySet<string> = new Set(['grid', 'iovl', 'iden']);

/**
 * Refuses an AVIF of which the decoder decodes more than it shows, since nothing stops it meanwhile: an image of many
 * frames (22 ms for 190 bytes where there are 4 million pixels), and one put together of others, which may name one
 * large image 256 times in a kilobyte. A `tmap`, which names an image and its gain map, is not put together.
 * @throws Error also for what cannot be counted, because only the decoder understands it.
 */
export function refuseHiddenImages(bytes: Buffer): void {
  const meta = boxesOf(theOnly(boxesOf(bytes), 'meta').subarray(4));
  const iinf = theOnly(meta, 'iinf');
  // ISO/IEC 14496-12, 8.11.6: an id of two or four bytes, two bytes, the type.
  const types = boxesOf(iinf.subarray(iinf[0] === 0 ? 6 : 8))
    .filter(({ type }) => type === 'infe')
    .map(({ data }) => data.toString('latin1', data[0] === 2 ? 8 : 10, data[0] === 2 ? 12 : 14));
  if (types.some((type) => WHOLES.has(type))) throw new Error('an AVIF that is put together of other images');
  for (const parts of itemsOf(bytes, meta))
    if (framesOf(parts) > MAX_FRAMES) throw new Error('an AVIF of many frames');
}

/** A box of ISO/IEC 14496-12 without its head. */
interface Box {
  type: string;
  data: Buffer;
}

/** @throws Error when there is none, or a second one, of which the decoder may take either. */
function theOnly(boxes: readonly Box[], type: string): Buffer {
  const [box, other] = boxes.filter((candidate) => candidate.type === type);
  if (box === undefined || other !== undefined) throw new Error(`an AVIF without the one box ${type}`);
  return box.data;
}

/** ISO/IEC 14496-12, 4.2: a size of 1 stands for one of 64 bits behind the type, 0 for all that is left. */
function boxesOf(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0, size = 0; at + 8 <= bytes.length; at += size) {
    const stated = bytes.readUInt32BE(at);
    const head = stated === 1 ? 16 : 8;
    size = stated === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : stated || bytes.length - at;
    if (size < head || boxes.length === MAX_BOXES) throw new Error('an AVIF of boxes that have no end');
    const type = bytes.toString('latin1', at + 4, at + 8);
    boxes.push({ type, data: bytes.subarray(at + head, at + size) });
  }
  return boxes;
}

/**
 * ISO/IEC 14496-12, 8.11.3: the bytes of each item, whatever it is.
 * @throws Error when they are much more than the file has: a part takes 0 bytes to name and may be all of it.
 */
function* itemsOf(bytes: Buffer, meta: readonly Box[]): Generator<Buffer> {
  const iloc = theOnly(meta, 'iloc');
  const version = iloc.readUInt8(0);
  const sizes = iloc.readUInt16BE(4);
  let at = 6;
  const next = (width: number): number => {
    at += width;
    if (width === 0) return 0;
    return width === 8 ? Number(iloc.readBigUInt64BE(at - 8)) : iloc.readUIntBE(at - width, width);
  };
  const idBytes = version === 2 ? 4 : 2;
  // An encoder may write equal data once, for an image and its transparency.
  let unread = 2 * bytes.length;
  for (let left = next(idBytes); left > 0; left -= 1) {
    next(idBytes);
    const place = version === 0 ? 0 : next(2) & 0x0f;
    if (place > 1) throw new Error('an AVIF of items within items');
    const source = place === 1 ? theOnly(meta, 'idat') : bytes;
    next(2);
    const base = next((sizes >> 4) & 0x0f);
    const parts = Array.from({ length: next(2) }, () => {
      if (version > 0) next(sizes & 0x0f);
      const start = base + next(sizes >> 12);
      // A length of 0 is all that follows.
      const length = next((sizes >> 8) & 0x0f) || Infinity;
      const part = source.subarray(start, start + length);
      unread -= 1 + part.length;
      if (unread < 0) throw new Error('an AVIF whose items are the same bytes again and again');
      return part;
    });
    yield Buffer.concat(parts);
  }
}

/** How many frames are in the OBUs of an image (AV1 specification, 5.3), counted up to one too many. */
function framesOf(obus: Buffer): number {
  let count = 0;
  for (let at = 0; at < obus.length && count <= MAX_FRAMES;) {
    const head = obus.readUInt8(at);
    if (FRAME_TYPES.has((head >> 3) & 0x0f)) count += 1;
    at += (head & 0x04) === 0 ? 1 : 2;
    if ((head & 0x02) === 0) break;
    // A size as LEB128.
    let size = 0;
    for (let shift = 0, byte = 0x80; (byte & 0x80) !== 0 && shift < 56; shift += 7, at += 1) {
      byte = obus[at] ?? 0;
      size += (byte & 0x7f) * 2 ** shift;
    }
    at += size;
  }
  return count;
}

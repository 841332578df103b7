/** Beside one another; the decoder itself takes a few hundred. */
const MAX_BOXES = 1000;

/** A box of ISO/IEC 14496-12 without its head. */
export interface Box {
  type: string;
  data: Buffer;
}

/** What an AVIF says of its images. @throws Error when it says nothing, or it twice. */
export function metaOf(bytes: Buffer): Box[] {
  return boxesOf(theOnly(boxesOf(bytes), 'meta').subarray(4));
}

/** @throws Error when there is none, or a second one, of which the decoder may take either. */
export function theOnly(boxes: readonly Box[], type: string): Buffer {
  const [box, other] = boxes.filter((candidate) => candidate.type === type);
  if (box === undefined || other !== undefined) throw new Error(`an AVIF without the one box ${type}`);
  return box.data;
}

/** ISO/IEC 14496-12, 4.2: a size of 1 stands for one of 64 bits behind the type, 0 for all that is left. */
export function boxesOf(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  let at = 0;
  while (at + 8 <= bytes.length) {
    const stated = bytes.readUInt32BE(at);
    const head = stated === 1 ? 16 : 8;
    const size =
      stated === 0 ? bytes.length - at : stated === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : stated;
    if (size < head || boxes.length === MAX_BOXES) throw new Error('an AVIF of boxes that have no end');
    boxes.push({
      type: bytes.toString('latin1', at + 4, at + 8),
      data: bytes.subarray(at + head, at + size),
    });
    at += size;
  }
  return boxes;
}

/** ISO/IEC 14496-12, 8.11.6: the items of these types. */
export function itemsOfType(iinf: Buffer, types: ReadonlySet<string>): Set<number> {
  const entries = boxesOf(iinf.subarray(iinf[0] === 0 ? 6 : 8)).filter(({ type }) => type === 'infe');
  const items = entries.map(({ data }) => {
    const ids = numbers(data[0] === 2 ? 2 : 4);
    return { item: ids.at(data, 4), type: data.toString('latin1', 6 + ids.width, 10 + ids.width) };
  });
  return new Set(items.filter(({ type }) => types.has(type)).map(({ item }) => item));
}

/** How numbers of this many bytes are read. */
export function numbers(width: 1 | 2 | 4): { width: number; at: (bytes: Buffer, offset: number) => number } {
  return { width, at: (bytes, offset) => bytes.readUIntBE(offset, width) };
}

import { boxesOf, itemsOfType, metaOf, numbers, theOnly } from './avif-boxes.js';

/** The decoder takes a tile of so many pixels for smaller ones, too. */
const MIN_TILE_PIXELS = 65_536;
/** Types of items that the decoder puts together of others; a `tmap`, which names an image and its gain map, is none. */
const WHOLES: ReadonlySet<string> = new Set(['grid', 'iovl', 'iden']);

/**
 * How many pixels the decoder makes of an AVIF that is put together of others: of each part as often as it is named,
 * though the whole may show none of them. A kilobyte can name one image of 31 million pixels 256 times, and nothing stops
 * the decoder before it has them all. Where there are several such wholes, as colours and transparency are, those of the
 * largest. 0: none is put together.
 * @throws Error when it says that in a way that only the decoder understands.
 */
export function avifTilePixels(bytes: Buffer): number {
  const meta = metaOf(bytes);
  const wholes = itemsOfType(theOnly(meta, 'iinf'), WHOLES);
  if (wholes.size === 0) return 0;
  const references = referencesOf(theOnly(meta, 'iref'));
  const sizes = pixelsOfItems(theOnly(meta, 'iprp'));
  const auxiliarySizes = new Map<number, number>();
  for (const { from, to } of references.filter(({ type }) => type === 'auxl')) {
    const size = wholes.has(from) ? Infinity : (sizes.get(from) ?? Infinity);
    auxiliarySizes.set(to, Math.max(auxiliarySizes.get(to) ?? 0, size));
  }
  const pixels = new Map<number, number>();
  for (const { from, to } of references.filter(({ type, from }) => type === 'dimg' && wholes.has(from))) {
    if (wholes.has(to)) throw new Error('an AVIF of AVIFs that are put together themselves');
    // The transparency of a part is decoded with it.
    const most = Math.max(MIN_TILE_PIXELS, sizes.get(to) ?? Infinity, auxiliarySizes.get(to) ?? 0);
    pixels.set(from, (pixels.get(from) ?? 0) + most);
  }
  return Math.max(0, ...pixels.values());
}

interface ItemReference {
  type: string;
  from: number;
  to: number;
}

/** ISO/IEC 14496-12, 8.11.12: which items name which others, as often as that is said. */
function referencesOf(iref: Buffer): ItemReference[] {
  const ids = numbers(iref[0] === 0 ? 2 : 4);
  return boxesOf(iref.subarray(4)).flatMap(({ type, data }) => {
    const from = ids.at(data, 0);
    const count = data.readUInt16BE(ids.width);
    const toAt = (index: number): number => ids.at(data, ids.width + 2 + index * ids.width);
    return Array.from({ length: count }, (_, index) => ({ type, from, to: toAt(index) }));
  });
}

/** ISO/IEC 14496-12, 8.11.14: items → pixels of the largest size stated for them. */
function pixelsOfItems(iprp: Buffer): Map<number, number> {
  const boxes = boxesOf(iprp);
  const properties = boxesOf(theOnly(boxes, 'ipco'));
  const pixels = new Map<number, number>();
  for (const { item, property } of associations(theOnly(boxes, 'ipma'))) {
    const { type, data } = properties[property - 1] ?? { type: '', data: Buffer.alloc(0) };
    if (type !== 'ispe') continue;
    pixels.set(item, Math.max(pixels.get(item) ?? 0, data.readUInt32BE(4) * data.readUInt32BE(8)));
  }
  return pixels;
}

function* associations(ipma: Buffer): Generator<{ item: number; property: number }> {
  const items = numbers(ipma[0] === 0 ? 2 : 4);
  const properties = numbers((ipma[3] ?? 0) & 1 ? 2 : 1);
  let at = 8;
  for (let left = ipma.readUInt32BE(4); left > 0; left -= 1) {
    const item = items.at(ipma, at);
    at += items.width + 1;
    for (let count = ipma.readUInt8(at - 1); count > 0; count -= 1) {
      // The first bit says whether it is essential.
      yield { item, property: properties.at(ipma, at) & (properties.width === 1 ? 0x7f : 0x7fff) };
      at += properties.width;
    }
  }
}

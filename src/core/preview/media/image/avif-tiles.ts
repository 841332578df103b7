import { boxesOf, metaOf, numbers, theOnly } from './avif-boxes.js';

/** The decoder takes a tile of so many pixels for smaller ones, too. */
const MIN_TILE_PIXELS = 65_536;
const DERIVED_FROM = 'dimg';

/**
 * How many pixels the decoder makes of an AVIF that is put together of others: of each part as often as it is named,
 * though the whole may show none of them. A kilobyte can name one image of 31 million pixels 256 times, and nothing stops
 * the decoder before it has them all. 0: it is one image by itself.
 * @throws Error when it says that in a way that only the decoder understands.
 */
export function avifTilePixels(bytes: Buffer): number {
  if (!bytes.includes(DERIVED_FROM)) return 0;
  const meta = metaOf(bytes);
  const made = derivations(theOnly(meta, 'iref'));
  const wholes = new Set(made.map(({ whole }) => whole));
  const sizes = pixelsOfItems(theOnly(meta, 'iprp'));
  let pixels = 0;
  for (const { part } of made) {
    if (wholes.has(part)) throw new Error('an AVIF of AVIFs that are put together themselves');
    pixels += Math.max(MIN_TILE_PIXELS, sizes.get(part) ?? Infinity);
  }
  return pixels;
}

/** ISO/IEC 14496-12, 8.11.12: who is made of whom, as often as that is said. */
function derivations(iref: Buffer): { whole: number; part: number }[] {
  const ids = numbers(iref[0] === 0 ? 2 : 4);
  return boxesOf(iref.subarray(4))
    .filter(({ type }) => type === DERIVED_FROM)
    .flatMap(({ data }) => {
      const whole = ids.at(data, 0);
      const count = data.readUInt16BE(ids.width);
      const partAt = (index: number): number => ids.at(data, ids.width + 2 + index * ids.width);
      return Array.from({ length: count }, (_, index) => ({ whole, part: partAt(index) }));
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

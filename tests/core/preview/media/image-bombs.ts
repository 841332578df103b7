import { deflateSync } from 'node:zlib';

import sharp from 'sharp';

import { behindHeader, pngChunk, sampleImage } from './sample-images.js';

const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const fixed = (value: number): Buffer => u32(Math.round(value * 65_536));

/**
 * A colour profile of RGB whose D2B0 tag is a chain of matrices (ICC.1:2022, 10.16): eight bytes each, as all of them
 * stand at one place. The decoder runs the chain for 35,937 colours before the first pixel.
 */
export function chainedProfile(matrices: number): Buffer {
  const numbers = [1, 0.001, 0, 0, 1, 0.001, 0.001, 0, 1, 0.0001, -0.0001, 0.0002];
  const floats = Buffer.alloc(4 * numbers.length);
  for (const [at, value] of numbers.entries()) floats.writeFloatBE(value, 4 * at);
  const matrix = Buffer.concat([Buffer.from('matf\0\0\0\0'), u16(3), u16(3), floats]);
  const place = Buffer.concat([u32(16 + 8 * matrices), u32(matrix.length)]);
  const places = Array.from({ length: matrices }, () => place);
  const xyz = (...values: number[]): Buffer =>
    Buffer.concat([Buffer.from('XYZ \0\0\0\0'), ...values.map(fixed)]);
  const curve = Buffer.concat([Buffer.from('curv\0\0\0\0'), u32(1), u16(0x0233), u16(0)]);
  const head = Buffer.concat([Buffer.from('mpet\0\0\0\0'), u16(3), u16(3), u32(matrices)]);
  return iccProfile({
    wtpt: xyz(0.9642, 1, 0.8249),
    rXYZ: xyz(0.436, 0.222, 0.0139),
    gXYZ: xyz(0.385, 0.717, 0.097),
    bXYZ: xyz(0.143, 0.0606, 0.714),
    rTRC: curve,
    gTRC: curve,
    bTRC: curve,
    D2B0: Buffer.concat([head, ...places, matrix]),
  });
}

function iccProfile(tags: Record<string, Buffer>): Buffer {
  const entries = Object.entries(tags);
  const table = [u32(entries.length)];
  let at = 128 + 4 + 12 * entries.length;
  for (const [name, data] of entries) {
    table.push(Buffer.from(name), u32(at), u32(data.length));
    at += data.length;
  }
  const header = Buffer.alloc(128);
  header.writeUInt32BE(at);
  header.write('lcms', 4);
  header.writeUInt32BE(0x0430_0000, 8);
  header.write('mntrRGB XYZ ', 12);
  header.write('acsp', 36);
  Buffer.concat([0.9642, 1, 0.8249].map(fixed)).copy(header, 68);
  return Buffer.concat([header, ...table, ...entries.map(([, data]) => data)]);
}

/** A PNG of a few hundred bytes with such a profile. */
export async function profilePng(profile: Buffer): Promise<Buffer> {
  const image = await sampleImage(64, 64).png().toBuffer();
  const chunk = pngChunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), deflateSync(profile)]));
  return behindHeader(image, chunk);
}

/** A WebP whose frames are one pixel each. */
export async function manyWebpFrames(frames: number): Promise<Buffer> {
  const pixels = await lossless(1);
  const frame = riffChunk('ANMF', Buffer.concat([Buffer.alloc(16), pixels]));
  const head = [
    riffChunk('VP8X', Buffer.from([2, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    riffChunk('ANIM', Buffer.alloc(6)),
  ];
  return riff([...head, ...Array.from({ length: frames }, () => frame)]);
}

async function lossless(side: number): Promise<Buffer> {
  const create = { width: side, height: side, channels: 3, background: 'red' } as const;
  const image = await sharp({ create }).webp({ lossless: true }).toBuffer();
  return image.subarray(12);
}

function riff(chunks: readonly Buffer[]): Buffer {
  return riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

function riffChunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name);
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** A progressive JPEG whose scans each pass over all blocks in a few bytes: first the averages, then nothing. */
export function manyScans(side: number, scans: number): Buffer {
  const segment = (marker: number, data: readonly number[]): Buffer =>
    Buffer.concat([Buffer.from([0xff, marker]), u16(data.length + 2), Buffer.from(data)]);
  const table = (id: number, symbol: number): Buffer =>
    segment(0xc4, [id, 1, ...Array.from({ length: 15 }, () => 0), symbol]);
  const blocks = Math.ceil(side / 8) ** 2;
  // One bit for "nothing in", fourteen for "32,767 blocks"; at most 65,534 blocks here.
  const nothing = Buffer.from([0x7f, 0xfe, 0xff, 0x00, 0xff, 0x00]);
  const scan = Buffer.concat([segment(0xda, [1, 1, 0, 1, 63, 0]), nothing]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, [0, ...Array.from({ length: 64 }, () => 1)]),
    segment(0xc2, [8, ...u16(side), ...u16(side), 1, 1, 0x11, 0]),
    table(0x00, 0),
    table(0x10, 0xe0),
    segment(0xda, [1, 1, 0, 0, 0, 0]),
    Buffer.alloc(Math.ceil(blocks / 8)),
    ...Array.from({ length: scans }, () => scan),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** Which images an AVIF is put together of, each of one colour: of one with `tile` pixels a side, so many times. */
export interface TiledAvif {
  tile: number;
  rows: number;
  /** Pixels a side of the whole. */
  whole: number;
  /** How often the tile has its frame. */
  frames?: number;
  /** A gain map of the same tile with its `tmap`. */
  beside?: 'gain map';
}

/** An AVIF of that kind (ISO/IEC 23008-12, 6.6.2.3); some hundred bytes. */
export async function tiledAvif({ tile, rows, whole, frames = 1, beside }: TiledAvif): Promise<Buffer> {
  const create = { width: tile, height: tile, channels: 3, background: 'red' } as const;
  const plain = await sharp({ create })
    .avif({ quality: 1, effort: 0, chromaSubsampling: '4:2:0' })
    .toBuffer();
  const boxAt = (type: string): Buffer => {
    const at = plain.lastIndexOf(type) - 4;
    return plain.subarray(at, at + plain.readUInt32BE(at));
  };
  const coded = Buffer.concat(Array.from({ length: frames }, () => boxAt('mdat').subarray(8)));
  const gridOf = (side: number, pixels: number): Buffer =>
    Buffer.concat([Buffer.from([0, 1, side - 1, side - 1]), u32(pixels), u32(pixels)]);
  const items: AvifItem[] = [{ type: 'av01', data: coded, side: tile, parts: [] }];
  const grid = { type: 'grid', data: gridOf(rows, whole), side: whole };
  const parts = Array.from({ length: rows ** 2 }, () => items.length - 1);
  if (rows > 0) items.push({ ...grid, parts });
  const primary = items.length - 1;
  if (beside !== undefined) items.push(rows > 0 ? { ...grid, parts } : { ...items[0]! });
  if (beside === 'gain map')
    items.push({ type: 'tmap', data: Buffer.alloc(64), side: whole, parts: [primary, primary + 1] });
  return avifOf(items, { codec: boxAt('av1C'), primary });
}

/** An AVIF each of whose items is the whole file, so many times: none of them takes a byte to name. */
export function repeatedAvif(items: number, times: number): Buffer {
  const places = Array.from({ length: items }, (_, at) => Buffer.concat([u16(at), u16(0), u16(times)]));
  const iloc = fullBox('iloc', 0, Buffer.from([0, 0]), u16(items), ...places);
  const iinf = fullBox('iinf', 0, u16(1), fullBox('infe', 2, u16(0), u16(0), Buffer.from('av01\0')));
  return Buffer.concat([box('ftyp', Buffer.from('avif\0\0\0\0avifmif1')), fullBox('meta', 0, iinf, iloc)]);
}

interface AvifItem {
  type: string;
  data: Buffer;
  side: number;
  /** The items it is made of, by index. */
  parts: readonly number[];
}

function avifOf(items: readonly AvifItem[], { codec, primary }: { codec: Buffer; primary: number }): Buffer {
  const head = box('ftyp', Buffer.from('avif\0\0\0\0avifmif1'));
  const id = (index: number): Buffer => u16(index + 1);
  const names = items.map(({ type }, at) => fullBox('infe', 2, id(at), u16(0), Buffer.from(`${type}\0`)));
  const references = items.flatMap(({ parts }, at) =>
    parts.length === 0 ? [] : [box('dimg', id(at), u16(parts.length), ...parts.map(id))],
  );
  const sizes = items.map(({ side }) => fullBox('ispe', 0, u32(side), u32(side)));
  const propertiesOf = items.map(({ type }, at) => {
    const codecs = type === 'av01' ? [0x80 + items.length + 1] : [];
    const properties = [at + 1, ...codecs];
    return Buffer.concat([id(at), Buffer.from([properties.length, ...properties])]);
  });
  const meta = (start: number): Buffer => {
    let at = start;
    const places = items.map(({ data }, index) => {
      at += data.length;
      return Buffer.concat([id(index), u16(0), u16(1), u32(at - data.length), u32(data.length)]);
    });
    return fullBox(
      'meta',
      0,
      fullBox('hdlr', 0, u32(0), Buffer.from('pict'), Buffer.alloc(13)),
      fullBox('pitm', 0, id(primary)),
      fullBox('iloc', 0, Buffer.from([0x44, 0]), u16(items.length), ...places),
      fullBox('iinf', 0, u16(items.length), ...names),
      fullBox('iref', 0, ...references),
      box('iprp', box('ipco', ...sizes, codec), fullBox('ipma', 0, u32(items.length), ...propertiesOf)),
    );
  };
  const start = head.length + meta(0).length + 8;
  return Buffer.concat([head, meta(start), box('mdat', ...items.map(({ data }) => data))]);
}

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  return Buffer.concat([u32(8 + data.length), Buffer.from(type, 'latin1'), data]);
}

function fullBox(type: string, version: number, ...parts: readonly Buffer[]): Buffer {
  return box(type, Buffer.from([version, 0, 0, 0]), ...parts);
}

/** A lossless WebP, each 16 of whose pixels have codes of their own, which say nothing: 20 bits for 6 kB of memory. */
export function manyWebpCodes(side: number): Buffer {
  const bits: number[] = [];
  const put = (value: number, count: number): void => {
    for (let bit = 0; bit < count; bit += 1) bits.push((value >> bit) & 1);
  };
  const oneSymbol = (): void => put(1, 4);
  // Codes of eight bits for the first 256 symbols: the lengths 0 and 8 have a code of one bit each.
  const allSymbols = (symbols: number): void => {
    put(0, 1);
    put(8, 4);
    for (const length of [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8])
      put(length === 0 || length === 8 ? 1 : 0, 3);
    put(0, 1);
    for (let symbol = 0; symbol < symbols; symbol += 1) put(symbol < 256 ? 1 : 0, 1);
  };
  const groups = Math.ceil(side / 4) ** 2;
  put(0x2f, 8);
  put(side - 1, 14);
  put(side - 1, 14);
  put(0, 4 + 1 + 1);
  // Which codes are whose: an image of a quarter of the sides.
  put(1, 1);
  put(0, 3 + 1);
  allSymbols(280);
  allSymbols(256);
  for (let code = 2; code < 5; code += 1) oneSymbol();
  for (let group = 0; group < groups; group += 1) put(group, 16);
  for (let code = 0; code < 5 * groups; code += 1) oneSymbol();
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [at, bit] of bits.entries()) bytes[at >> 3]! |= bit << (at & 7);
  return riff([riffChunk('VP8L', bytes)]);
}

import { deflateSync } from 'node:zlib';

import sharp from 'sharp';

import { pngChunk, sampleImage, textBomb, tinyPng } from './sample-images.js';

/** Signature and first chunk of a PNG. */
const AFTER_HEADER = 33;

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
  return Buffer.concat([image.subarray(0, AFTER_HEADER), chunk, image.subarray(AFTER_HEADER)]);
}

/** The same as WebP, where profiles are not packed. */
export async function profileWebp(profile: Buffer): Promise<Buffer> {
  const pixels = await lossless(64);
  return riff([
    riffChunk('VP8X', Buffer.from([0x20, 0, 0, 0, 63, 0, 0, 63, 0, 0])),
    riffChunk('ICCP', profile),
    pixels,
  ]);
}

/** The same as JPEG, cut into segments in the midst of the type of its chain. */
export async function profileJpeg(profile: Buffer): Promise<Buffer> {
  const image = await sampleImage(64, 64).jpeg().toBuffer();
  const cut = profile.indexOf('mpet') + 2;
  const parts = [profile.subarray(0, cut), profile.subarray(cut)];
  const segments = parts.map((part, at) => {
    const data = Buffer.concat([Buffer.from('ICC_PROFILE\0'), Buffer.from([at + 1, parts.length]), part]);
    return Buffer.concat([Buffer.from([0xff, 0xe2]), u16(data.length + 2), data]);
  });
  return Buffer.concat([image.subarray(0, 2), ...segments, image.subarray(2)]);
}

/** A PNG with texts that unpack to 7.9 MB each, behind this many chunks that nobody knows. */
export function hiddenTexts(unknown: number, texts: number): Buffer {
  const none = pngChunk('abCd', Buffer.alloc(0));
  const text = textBomb(7_900_000);
  const chunks = [
    ...Array.from({ length: unknown }, () => none),
    ...Array.from({ length: texts }, () => text),
  ];
  return tinyPng(64, 64, chunks);
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

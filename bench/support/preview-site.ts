import { randomBytes } from 'node:crypto';

import sharp from 'sharp';

const PAGE_BYTES = 51_000;
const IMAGE_BYTES = 204_000;
const IMAGE = { width: 1200, height: 800 };
/** Its shapes, in pixels before they are enlarged, and its grain; together they give thumbnails of about 105 kB. */
const SHAPES = { width: 30, height: 20 };
const GRAIN = 10;
const HOSTILE_BYTES = 10 * 1024 * 1024 - 1024;
const WORDS = 'the river rises in the hills and joins the sea beside a town of ships and markets'.split(' ');

/** An article of 51 kB as sites serve it: Open Graph tags, scripts, styles, lists of links and text. */
export function makePage(number: number, imageUrl: string): Buffer {
  const head =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Article ${number}</title>` +
    `<meta property="og:title" content="Article ${number} about rivers">` +
    `<meta property="og:description" content="What ${sentence(number, 24)}">` +
    `<meta property="og:image" content="${imageUrl}"><meta property="og:type" content="article">` +
    '<meta property="og:site_name" content="Bench"><meta name="viewport" content="width=device-width">' +
    `<style>${'.a{color:#123;margin:0 auto}\n'.repeat(120)}</style>` +
    `<script>${'window.a=function(b){return b<2?b:a(b-1)};\n'.repeat(150)}</script></head><body>`;
  const parts = [head, '<nav><ul>'];
  for (let i = 0; i < 60; i += 1)
    parts.push(`<li class="item"><a href="/section/${i}">Section ${i}</a></li>`);
  parts.push('</ul></nav><main>');
  let bytes = parts.join('').length;
  for (let i = 0; bytes < PAGE_BYTES - 400; i += 1) {
    const text = `<div class="text" data-id="${i}"><p>${sentence(number + i, 40)} <b>&amp;</b> so on.</p></div>\n`;
    parts.push(text);
    bytes += text.length;
  }
  const body = parts.join('');
  const end = '</main></body></html>';
  return Buffer.from(`${body}<!--${'.'.repeat(PAGE_BYTES - body.length - end.length - 7)}-->${end}`);
}

/** Just under the size limit: half a million tags, the parser's worst fare. */
export function makeHostilePage(): Buffer {
  const unit =
    '<meta property="og:title" content="a"><div class=x><p>b<a href=//c>&lt;d</a><img src=e.png alt=f>';
  return Buffer.from(`<html><body>${unit.repeat(Math.floor(HOSTILE_BYTES / unit.length))}`);
}

/** A JPEG of 1200×800 pixels and about 204 kB: a photograph's mixture of slopes and grain. */
export async function makeImage(): Promise<Buffer> {
  const { width, height } = IMAGE;
  const coarse = { raw: { ...SHAPES, channels: 3 as const } };
  const shapes = await sharp(randomBytes(SHAPES.width * SHAPES.height * 3), coarse)
    .resize(width, height, { kernel: 'cubic' })
    .raw()
    .toBuffer();
  const grain = randomBytes(shapes.length);
  const pixels = shapes.map((value, at) => {
    const grained = value + ((grain[at] ?? 0) % (2 * GRAIN + 1)) - GRAIN;
    return Math.min(255, Math.max(0, grained));
  });
  let best = Buffer.alloc(0);
  for (let quality = 60; quality <= 98; quality += 1) {
    const jpeg = await sharp(pixels, { raw: { width, height, channels: 3 } })
      .jpeg({ quality })
      .toBuffer();
    if (Math.abs(jpeg.length - IMAGE_BYTES) < Math.abs(best.length - IMAGE_BYTES)) best = jpeg;
  }
  return best.length > IMAGE_BYTES ? best : Buffer.concat([best, Buffer.alloc(IMAGE_BYTES - best.length)]);
}

function sentence(seed: number, words: number): string {
  return Array.from({ length: words }, (_, i) => WORDS[(seed * 7 + i * (seed + 3)) % WORDS.length]).join(' ');
}

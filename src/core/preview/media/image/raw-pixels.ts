import type { PixelSize } from './thumbnail-sizes.js';

/** Pixels in memory, row by row. */
export interface RawPixels extends PixelSize {
  data: Buffer;
  /** 2 and 4: the last one is alpha, not multiplied into the others. */
  channels: 1 | 2 | 3 | 4;
}

/** The middle of an image in the shape of a box, as large as it goes; what `crop` leaves of it. */
export function middlePart(source: RawPixels, box: PixelSize): RawPixels {
  const factor = Math.min(source.width / box.width, source.height / box.height);
  const width = Math.max(1, Math.min(source.width, Math.round(box.width * factor)));
  const height = Math.max(1, Math.min(source.height, Math.round(box.height * factor)));
  const { channels } = source;
  const left = (source.width - width) >> 1;
  const top = (source.height - height) >> 1;
  const data = Buffer.allocUnsafe(width * height * channels);
  for (let row = 0; row < height; row += 1) {
    const start = ((top + row) * source.width + left) * channels;
    source.data.copy(data, row * width * channels, start, start + width * channels);
  }
  return { data, width, height, channels };
}

/**
 * The image shrunk to a size at most as large, each pixel the mean of those it stands for; `null` for pixels
 * that are neither RGB nor RGBA. For small images: it takes a millisecond for some 300,000 pixels, less than
 * the decoder's own way costs before it has begun.
 */
export function averaged(source: RawPixels, { width, height }: PixelSize): RawPixels | null {
  const { channels } = source;
  if (channels < 3) return null;
  const writeMean = channels === 3 ? writeOpaqueMean : writeMeanWithAlpha;
  const data = Buffer.allocUnsafe(width * height * channels);
  const area = { left: 0, right: 0, top: 0, bottom: 0 };
  for (let y = 0; y < height; y += 1) {
    area.top = Math.floor((y * source.height) / height);
    area.bottom = Math.max(area.top + 1, Math.floor(((y + 1) * source.height) / height));
    for (let x = 0; x < width; x += 1) {
      area.left = Math.floor((x * source.width) / width);
      area.right = Math.max(area.left + 1, Math.floor(((x + 1) * source.width) / width));
      writeMean(source, area, { data, at: (y * width + x) * channels });
    }
  }
  return { data, width, height, channels };
}

interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface PixelTarget {
  data: Buffer;
  at: number;
}

function writeOpaqueMean({ data, width }: RawPixels, area: Area, to: PixelTarget): void {
  const { left, right, top, bottom } = area;
  let red = 0;
  let green = 0;
  let blue = 0;
  for (let row = top; row < bottom; row += 1) {
    const end = (row * width + right) * 3;
    for (let at = (row * width + left) * 3; at < end; at += 3) {
      red += data[at] ?? 0;
      green += data[at + 1] ?? 0;
      blue += data[at + 2] ?? 0;
    }
  }
  const pixels = (right - left) * (bottom - top);
  to.data[to.at] = Math.round(red / pixels);
  to.data[to.at + 1] = Math.round(green / pixels);
  to.data[to.at + 2] = Math.round(blue / pixels);
}

/** Colours count as much as they are seen, else what is transparent would darken its edges. */
function writeMeanWithAlpha({ data, width }: RawPixels, area: Area, to: PixelTarget): void {
  const { left, right, top, bottom } = area;
  let red = 0;
  let green = 0;
  let blue = 0;
  let seen = 0;
  for (let row = top; row < bottom; row += 1) {
    const end = (row * width + right) * 4;
    for (let at = (row * width + left) * 4; at < end; at += 4) {
      const alpha = data[at + 3] ?? 0;
      red += (data[at] ?? 0) * alpha;
      green += (data[at + 1] ?? 0) * alpha;
      blue += (data[at + 2] ?? 0) * alpha;
      seen += alpha;
    }
  }
  const divisor = Math.max(1, seen);
  to.data[to.at] = Math.round(red / divisor);
  to.data[to.at + 1] = Math.round(green / divisor);
  to.data[to.at + 2] = Math.round(blue / divisor);
  to.data[to.at + 3] = Math.round(seen / ((right - left) * (bottom - top)));
}

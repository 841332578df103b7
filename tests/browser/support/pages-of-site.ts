import sharp from 'sharp';

import { page, redirect, type RemoteSite } from '../../support/origins/remote-site.js';

/** Host of a web site that a rule refuses. */
export const BLOCKED = 'tracker.example';

/** Pages of a site: good ones with images, empty, hostile and broken ones, and redirects to what is refused. */
export async function addPages(site: RemoteSite): Promise<void> {
  const { pages } = site;
  for (const [name, image] of Object.entries(await drawImages()))
    pages.set(`/${name}.jpg`, page(image, { type: 'image/jpeg' }));
  pages.set('/harvest', page(article('The harvest is in', 'harvest')));
  pages.set('/harbour', page(article('A new lighthouse for the harbour', 'harbour')));
  pages.set('/meadow', page(article('Bees return to the meadow', 'meadow')));
  pages.set('/notes', page('<title>Minutes of the parish meeting</title><p>Those present were few.'));
  pages.set('/nothing', page('<p></p>'));
  pages.set('/evil', page(article('\u202Egnp.exe <img src=x onerror=alert(1)>', 'harvest')));
  pages.set('/broken', page('', { status: 500 }));
  pages.set('/away', redirect(`http://${BLOCKED}/pixel`));
  pages.set('/inside', redirect('http://10.0.0.7/'));
  pages.set('/drawing.svg', page('<svg xmlns="http://www.w3.org/2000/svg"/>', { type: 'image/svg+xml' }));
}

function article(title: string, image: string): string {
  const escaped = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  return `<!doctype html><html lang="en"><head><title>${escaped}</title>
    <meta property="og:title" content="${escaped}">
    <meta property="og:site_name" content="Meadow News">
    <meta property="og:description" content="What the valley talks about this week, told in a few honest words.">
    <meta property="og:image" content="/${image}.jpg">
    <meta property="og:type" content="article"></head><body><p>Text.</body></html>`;
}

export const [WIDTH, HEIGHT] = [1200, 630];
const [SKY, SUN, FOREGROUND] = ['#f3ead7', '#e9b44c', '#43503f'];

/** Three JPEG images by their names. */
async function drawImages(): Promise<Record<'harvest' | 'harbour' | 'meadow', Buffer>> {
  return {
    harvest: await drawImage('#c8963c'),
    harbour: await drawImage('#3c7ac8'),
    meadow: await drawImage('#4f9a55'),
  };
}

/**
 * A landscape of two fields and a sun, so that images in the UI can be told apart. Painted by the pixel: what the
 * product forbids sharp to read, such as SVG, is forbidden in the whole process.
 */
function drawImage(hue: string): Promise<Buffer> {
  const [sky, sun, far, near] = [SKY, SUN, hue, FOREGROUND].map((color) =>
    Buffer.from(color.slice(1), 'hex'),
  );
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3);
  for (let at = 0; at < WIDTH * HEIGHT; at += 1) {
    const [x, y] = [at % WIDTH, Math.floor(at / WIDTH)];
    const background = Math.hypot(x - 930, y - 190) < 90 ? sun : sky;
    const field = y > 390 + 40 * Math.cos(x / 190) ? far : background;
    (y > 500 + 35 * Math.sin(x / 210) ? near : field)?.copy(pixels, at * 3);
  }
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .jpeg({ quality: 82 })
    .toBuffer();
}

import sharp from 'sharp';

import { page, redirect, type RemoteSite } from '../../support/origins/remote-site.js';

/** Host of a web site that a rule refuses. */
export const BLOCKED = 'tracker.example';

/** Pages of a site: good ones with images, empty, hostile and broken ones, and redirects to what is refused. */
export async function addPages(site: RemoteSite): Promise<void> {
  const { pages } = site;
  for (const [name, hue] of [
    ['harvest', '#c8963c'],
    ['harbour', '#3c7ac8'],
    ['meadow', '#4f9a55'],
  ] as const) {
    pages.set(`/${name}.jpg`, page(await drawImage(hue), { type: 'image/jpeg' }));
  }
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

/** A landscape of two fields and a sun, so that images in the UI can be told apart. */
function drawImage(hue: string): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630">
    <rect width="1200" height="630" fill="#f3ead7"/><circle cx="930" cy="190" r="90" fill="#e9b44c"/>
    <path d="M0 420 Q300 300 640 410 T1200 380 V630 H0Z" fill="${hue}"/>
    <path d="M0 520 Q420 430 800 530 T1200 500 V630 H0Z" fill="#2d3a33" opacity=".55"/></svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 82 }).toBuffer();
}

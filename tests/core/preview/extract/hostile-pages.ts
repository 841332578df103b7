const MIB = 1_048_576;

function filled(unit: string, size: number): string {
  return unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
}

function numbered(count: number, make: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join('');
}

/** Bytes from `lowest` on, the same each time. */
function noise(lowest: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let state = 1;
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = lowest + ((state >>> 16) % (256 - lowest));
  }
  return bytes;
}

/** Characters of which each is another one. */
function oddText(from: number, length: number): string {
  const codes = Array.from({ length }, (_, at) => 0x4e00 + (((from + at) * 7_919) % 20_000));
  return codes.map((code) => String.fromCodePoint(code)).join('');
}

/** As long as it may be. */
const oddHost = (from: number): string => oddText(from, 258).replaceAll(/.{129}(?=.)/g, '$&.');

/** Pages made to stall or exhaust a parser, by name. Each is built when asked for. */
export const HOSTILE_PAGES: Record<string, () => string | Buffer> = {
  '10^5 meta tags': () => numbered(100_000, (n) => `<meta name="k${n}" content="${filled('x', 80)}">`),
  '7,500 meta tags': () => numbered(7_500, (n) => `<meta property="og:k${n}" content="${filled('x', 90)}">`),
  '10^5 nested elements': () => `${'<b>'.repeat(100_000)}text`,
  '10 MiB of tags with 250 attributes': () => filled(`<p ${numbered(250, (n) => `a${n}=b `)}>`, 10 * MIB),
  '10 MiB of double-escaped scripts': () => `<script><!--${filled('<script ></script>', 10 * MIB)}`,
  '10^6 attributes on one tag': () => `<p ${numbered(1_000_000, (n) => `a${n} `)}>text`,
  '4,000 differing fonts, each followed by a paragraph': () => numbered(4_000, (n) => `<font a${n}=${n}><p>`),
  '200,000 nested div': () => '<div>'.repeat(200_000),
  '500,000 differing elements': () => numbered(500_000, (n) => `<x${n}>`),
  'deep stack, closing tags out of reach': () =>
    `<span>${'<div><i>'.repeat(255)}${'</span>'.repeat(400_000)}`,
  'title of 5 MB': () => `<title>${filled('word ', 5 * MIB)}`,
  '10 MiB of ampersands': () => filled('&', 10 * MIB),
  '10 MiB of named entities': () => filled('&nbsp;', 10 * MIB),
  '10 MiB of one numeric entity': () => `&#${filled('1', 10 * MIB)}`,
  '10 MiB of one comment': () => `<!--${filled('a-', 10 * MIB)}`,
  '10 MiB of noise': () => noise(0, 10 * MIB),
  '10 MiB of Cyrillic without a label': () => Buffer.alloc(10 * MIB, Buffer.from('cfeee3eee4e020', 'hex')),
  '10 MiB of spaces': () => `<body><p>${filled(' ', 10 * MIB)}x`,
  '10 MiB of paragraphs': () => filled('<p>', 10 * MIB),
  '10 MiB of tables': () => filled('<table><tr><td>', 10 * MIB),
  '10 MiB of microdata': () => `<div itemscope>${filled('<b itemprop="name">a</b>', 10 * MIB)}`,
  '10 MiB of nested microdata': () => filled('<b itemscope itemprop=a>', 10 * MIB),
  '10 MiB of one tag name': () => `<${filled('a', 10 * MIB)}`,
  '10 MiB of one attribute value': () => `<meta property=og:title content="${filled('a', 10 * MIB)}`,
  '10 MiB of one script': () => `<script>${filled('</scrip', 10 * MIB)}`,
  '10 MiB of unbroken text': () => `<body><p>${filled('a', 10 * MIB)}`,
  '10 MiB of quotes': () => `<p ${filled(`"'=`, 10 * MIB)}`,
  'JSON-LD of 2·10^5 brackets behind a quote in a comment': () =>
    `<script type="application/ld+json">{/*"*/"@type":"Article","name":"n","headline":${'['.repeat(200_000)}${']'.repeat(200_000)}}</script>`,
  'JSON-LD of 500 kB that needs repair': () =>
    `<script type="application/ld+json">[${numbered(40_000, () => '{"a":1,},/**/')}]</script>`,
  'og names of the object prototype': () =>
    numbered(10_000, (n) => `<meta property="og:__proto__${n % 2 === 0 ? '' : n}" content="x">`),
  '500 images with texts of ligatures': () =>
    `<title>${filled('ﷺ', 300)}</title>${numbered(500, (n) => `<img src=/a${n}.png width=500 height=400 alt="${filled('ﷺ', 200)}">`)}`,
  '200 things with addresses of long hosts': () =>
    `<title>a b</title><script type="application/ld+json">[${Array.from({ length: 200 }, (_, n) =>
      JSON.stringify({
        '@type': 'WebPage',
        '@id': `http://${oddHost(3 * n)}/`,
        url: `http://${oddHost(3 * n + 1)}/`,
        mainEntityOfPage: `http://${oddHost(3 * n + 2)}/`,
        name: `n${n}`,
      }),
    ).join(',')}]</script>`,
  '200 icons with long hosts': () => numbered(200, (n) => `<link rel=icon href="//${oddHost(n)}/#">`),
  '10 MiB of srcset': () => `<img srcset="${filled('a 1w, ', 10 * MIB)}">`,
  'one picture element with long sources and 500 images': () =>
    `<picture>${numbered(6, () => `<source srcset="${filled('data:a 1w, ', 65_000)}">`)}${filled('<img>', 2_500)}`,
  '10 MiB of lazy images': () => filled('<img src=data:, data-a=/a/b.jpg data-b=/c/d.png>', 10 * MIB),
  '10 MiB of backgrounds': () => filled('<div class="a b" style="background:url( \'a">', 10 * MIB),
  '10 MiB of slashes in og:image': () =>
    filled(`<meta property=og:image content="${filled('/no-image', 8_000)}">`, 10 * MIB),
  '10 MiB of broken UTF-8': () => Buffer.alloc(10 * MIB, 0xc3),
  '10 MiB of UTF-16': () => Buffer.from(`\ufeff<body>${filled('ab ', 5 * MIB)}`, 'utf16le'),
  '10 MiB of ISO-2022-JP escapes': () =>
    Buffer.concat([
      Buffer.from('<meta charset=iso-2022-jp><body>'),
      Buffer.from(filled('\x1b$B\x1b(B', 10 * MIB)),
    ]),
};

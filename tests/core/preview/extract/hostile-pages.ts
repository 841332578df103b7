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
  '10^5 attributes with values': () => `<p ${numbered(100_000, (n) => `a${n}="v" `)}>text`,
  '4,000 differing fonts, each followed by a paragraph': () => numbered(4_000, (n) => `<font a${n}=${n}><p>`),
  '200,000 nested div': () => '<div>'.repeat(200_000),
  '500,000 differing elements': () => numbered(500_000, (n) => `<x${n}>`),
  '200,000 unclosed links closed by span': () => `${'<div><a>'.repeat(500)}${'</span></p>'.repeat(200_000)}`,
  'deep stack, closing tags out of reach': () =>
    `<span>${'<div><i>'.repeat(255)}${'</span>'.repeat(400_000)}`,
  'deep stack, closing tags out of reach behind all of it': () =>
    `<a><td>${'<i>'.repeat(508)}${'</a>'.repeat(400_000)}`,
  'title of 5 MB': () => `<title>${filled('word ', 5 * MIB)}`,
  'title of 5 MB of entities': () => `<title>${filled('&amp;', 5 * MIB)}`,
  '10 MiB of ampersands': () => filled('&', 10 * MIB),
  '10 MiB of named entities': () => filled('&nbsp;', 10 * MIB),
  '10 MiB of unfinished entities': () => filled('&CounterClockwiseContourIntegra ', 10 * MIB),
  '10 MiB of one numeric entity': () => `&#${filled('1', 10 * MIB)}`,
  '10 MiB of comments': () => filled('<!-- a -->', 10 * MIB),
  '10 MiB of one comment': () => `<!--${filled('a-', 10 * MIB)}`,
  '10 MiB of comment starts': () => filled('<!--', 10 * MIB),
  '10 MiB of declarations': () => filled('<!x ', 10 * MIB),
  '10 MiB of CDATA starts': () => filled('<![CDATA[', 10 * MIB),
  '10 MiB of noise': () => noise(0, 10 * MIB),
  '10 MiB of noise beyond ASCII': () => noise(0x80, 10 * MIB),
  '10 MiB of Cyrillic without a label': () => Buffer.alloc(10 * MIB, Buffer.from('cfeee3eee4e020', 'hex')),
  '10 MiB of NUL': () => Buffer.alloc(10 * MIB),
  '10 MiB of spaces': () => `<body><p>${filled(' ', 10 * MIB)}x`,
  '10 MiB of line breaks between spaces': () => `<body>${filled(' \n', 10 * MIB)}x`,
  '10 MiB of less-than signs': () => filled('<', 10 * MIB),
  '10 MiB of closing tags': () => filled('</p>', 10 * MIB),
  '10 MiB of paragraphs': () => filled('<p>', 10 * MIB),
  '10 MiB of paragraphs with text': () => filled('<p>some text here</p>', 10 * MIB),
  '10 MiB of lists': () => filled('<ul><li>', 10 * MIB),
  '10 MiB of tables': () => filled('<table><tr><td>', 10 * MIB),
  '10 MiB of images': () => filled('<img src=a.png width=100 height=100>', 10 * MIB),
  '10 MiB of links': () => filled('<link rel=icon href=a.png>', 10 * MIB),
  '10 MiB of headings': () => filled('<h1>a</h1>', 10 * MIB),
  '10 MiB of microdata': () => `<div itemscope>${filled('<b itemprop="name">a</b>', 10 * MIB)}`,
  '10 MiB of nested microdata': () => filled('<b itemscope itemprop=a>', 10 * MIB),
  '10 MiB of one tag name': () => `<${filled('a', 10 * MIB)}`,
  '10 MiB of one attribute name': () => `<p ${filled('a', 10 * MIB)}`,
  '10 MiB of one attribute value': () => `<meta property=og:title content="${filled('a', 10 * MIB)}`,
  '10 MiB of one attribute value of entities': () =>
    `<meta property=og:title content="${filled('&lt;', 10 * MIB)}">`,
  '10 MiB of one data URL': () =>
    `<meta property=og:image content="data:image/png;base64,${filled('A', 10 * MIB)}">`,
  '10 MiB of one script': () => `<script>${filled('</scrip', 10 * MIB)}`,
  '10 MiB of scripts': () => filled('<script>a</script>', 10 * MIB),
  '10 MiB of unbroken text': () => `<body><p>${filled('a', 10 * MIB)}`,
  '10 MiB of three-byte characters': () => `<body><p>${filled('漢字', (10 * MIB) / 3)}`,
  '10 MiB of quotes': () => `<p ${filled(`"'=`, 10 * MIB)}`,
  'JSON-LD of 2·10^5 brackets behind a quote in a comment': () =>
    `<script type="application/ld+json">{/*"*/"@type":"Article","name":"n","headline":${'['.repeat(200_000)}${']'.repeat(200_000)}}</script>`,
  'JSON-LD of 10^5 brackets': () => `<script type="application/ld+json">${'['.repeat(100_000)}</script>`,
  'JSON-LD of 500 kB of members': () =>
    `<script type="application/ld+json">{${numbered(30_000, (n) => `"k${n}":${n},`)}"@type":"Article"}</script>`,
  'JSON-LD of 500 kB that needs repair': () =>
    `<script type="application/ld+json">[${numbered(40_000, () => '{"a":1,},/**/')}]</script>`,
  'JSON-LD of 500 kB of blanks after commas': () =>
    `<script type="application/ld+json">[${numbered(500, () => `,${' '.repeat(1_000)}`)}]x`,
  'og names of the object prototype': () =>
    numbered(10_000, (n) => `<meta property="og:__proto__${n % 2 === 0 ? '' : n}" content="x">`),
  '200 tags of invisible characters': () =>
    numbered(200, (n) => `<meta property="og:k${n}" content="${filled('\u200b a', 19_900)}">`),
  '400 refreshes after a while of 10,000 digits': () =>
    numbered(400, () => `<meta http-equiv=refresh content="${filled('1', 9_999)}">`),
  '500 images with texts of ligatures': () =>
    `<title>${filled('ﷺ', 300)}</title>${numbered(500, (n) => `<img src=/a${n}.png width=500 height=400 alt="${filled('ﷺ', 200)}">`)}`,
  '1,000 addresses of the page with long hosts': () =>
    numbered(1_000, (n) => `<meta property=og:url content="http://${oddHost(n)}/">`),
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
  'addresses with hosts longer than any': () => {
    const long = `http://${oddText(0, 60_000)}/`;
    const tags = ['og:image', 'og:url', 'og:video'].map((key) => `<meta property=${key} content="${long}">`);
    return `<base href="${long}"><link rel=canonical href="${long}"><link rel=icon href="${long}">${tags.join('')}`;
  },
  '200 icons with long hosts': () => numbered(200, (n) => `<link rel=icon href="//${oddHost(n)}/#">`),
  '10 MiB of srcset': () => `<img srcset="${filled('a 1w, ', 10 * MIB)}">`,
  'one picture element with long sources and 500 images': () =>
    `<picture>${numbered(6, () => `<source srcset="${filled('data:a 1w, ', 65_000)}">`)}${filled('<img>', 2_500)}`,
  '10 MiB of lazy images': () => filled('<img src=data:, data-a=/a/b.jpg data-b=/c/d.png>', 10 * MIB),
  '10 MiB of one lazy image': () => `<img ${numbered(200_000, (n) => `data-a${n}=/a/b.jpg `)}>`,
  '10 MiB of backgrounds': () => filled('<div class="a b" style="background:url( \'a">', 10 * MIB),
  '10 MiB of class names': () => `<body>${filled('<div class="author-author- author- site-">', 10 * MIB)}`,
  '10 MiB of slashes in og:image': () =>
    filled(`<meta property=og:image content="${filled('/no-image', 8_000)}">`, 10 * MIB),
  '10 MiB of meta charset starts': () => filled('<meta charset', 10 * MIB),
  '10 MiB of broken UTF-8': () => Buffer.alloc(10 * MIB, 0xc3),
  '10 MiB of Shift_JIS': () =>
    Buffer.concat([Buffer.from('<meta charset=shift_jis><body>'), Buffer.alloc(10 * MIB, 0x82)]),
  '10 MiB of windows-1252': () =>
    Buffer.concat([Buffer.from('<meta charset=windows-1252><body>'), Buffer.alloc(10 * MIB, 0xe4)]),
  '10 MiB of UTF-16': () => Buffer.from(`\ufeff<body>${filled('ab ', 5 * MIB)}`, 'utf16le'),
  '10 MiB of ISO-2022-JP escapes': () =>
    Buffer.concat([
      Buffer.from('<meta charset=iso-2022-jp><body>'),
      Buffer.from(filled('\x1b$B\x1b(B', 10 * MIB)),
    ]),
};

/**
 * Scores the extractor on a folder of saved pages: `npx tsx bench/extraction/score.ts FOLDER [standard] [-v]`.
 * FOLDER/NAME/source.html with expected-metadata.json (title, excerpt, byline, siteName, publishedTime, lang). The picture
 * expected is the one that the page states; it is looked for in a copy that no longer states it.
 * Strict: equal after folding case, blanks and punctuation (a text cut by either side counts when it is a
 * beginning). Lenient: one holds the other, or two thirds of the words agree.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { extractPage, type PageExtract } from '../../src/core/preview/extract/extract-page.js';

interface Expected {
  title?: string | null;
  excerpt?: string | null;
  byline?: string | null;
  siteName?: string | null;
  publishedTime?: string | null;
  lang?: string | null;
}

interface Field {
  readonly name: string;
  readonly expected: (page: Expected) => string | null | undefined;
  readonly key: string;
  readonly compare: (found: string, expected: string) => { strict: boolean; lenient: boolean };
}

const FIELDS: Field[] = [
  { name: 'title', expected: (page) => page.title, key: 'og:title', compare: compareTexts },
  { name: 'description', expected: (page) => page.excerpt, key: 'og:description', compare: compareTexts },
  { name: 'siteName', expected: (page) => page.siteName, key: 'og:site_name', compare: compareTexts },
  { name: 'author', expected: (page) => page.byline, key: 'article:author', compare: compareTexts },
  {
    name: 'date',
    expected: (page) => page.publishedTime,
    key: 'article:published_time',
    compare: compareDates,
  },
  { name: 'lang', expected: (page) => page.lang, key: 'og:locale', compare: compareLanguages },
];

function folded(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function compareTexts(found: string, expected: string): { strict: boolean; lenient: boolean } {
  const [a, b] = [folded(found), folded(expected)];
  const isCut = (text: string, raw: string, whole: string): boolean =>
    raw.trimEnd().endsWith('…') && text.length >= 40 && whole.startsWith(text);
  const strict = a === b || isCut(a, found, b) || isCut(b, expected, a);
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return { strict, lenient: strict || (short.length >= 3 && long.includes(short)) || overlap(a, b) >= 2 / 3 };
}

function overlap(a: string, b: string): number {
  const [left, right] = [new Set(a.split(' ')), new Set(b.split(' '))];
  const shared = [...left].filter((word) => right.has(word)).length;
  return shared / Math.max(left.size, right.size);
}

function compareDates(found: string, expected: string): { strict: boolean; lenient: boolean } {
  const [a, b] = [Date.parse(found), Date.parse(expected)];
  return {
    strict: found === expected || a === b,
    lenient: found === expected || Math.abs(a - b) <= 86_400_000,
  };
}

function compareLanguages(found: string, expected: string): { strict: boolean; lenient: boolean } {
  const plain = (text: string): string => text.toLowerCase().replace('_', '-');
  return {
    strict: plain(found) === plain(expected),
    lenient: plain(found).split('-')[0] === plain(expected).split('-')[0],
  };
}

const PICTURE_NAME = /(?:property|name|itemprop)\s*=\s*["']?(?:og:image|twitter:image)(?:[:\w]*)["'\s>]/i;
const PICTURE_LINK = /rel\s*=\s*["']?(?:image_src|icon|apple-touch-icon|shortcut icon)["'\s>]/i;

/** The page without what states its picture: tags, links to pictures, and JSON-LD. */
function withoutPicture(html: string): string {
  return html
    .replace(/<meta\b[^>]*>/gi, (tag) => (PICTURE_NAME.test(tag) ? '' : tag))
    .replace(/<link\b[^>]*>/gi, (tag) => (PICTURE_LINK.test(tag) ? '' : tag))
    .replace(/<script\b[^>]*application\/ld\+json[^>]*>[\s\S]*?<\/script>/gi, '');
}

/** The file's name without what tells a size of it: sites serve the same picture in many. */
function pictureName(address: string): string {
  const name = new URL(address).pathname.split('/').findLast((part) => part !== '') ?? '';
  return decodeURIComponent(name)
    .toLowerCase()
    .replace(/\.\w{3,4}$/, '')
    .replace(/[-_.@]?(?:\d+x\d+|\d+x|w\d+|h\d+|large|medium|small|thumb(?:nail)?|facebook|twitter)/g, '');
}

function comparePictures(found: string, expected: string): { strict: boolean; lenient: boolean } {
  const strict = found === expected;
  const [a, b] = [pictureName(found), pictureName(expected)];
  return { strict, lenient: strict || (a.length >= 3 && a === b) };
}

interface Progress {
  asked: number;
  strict: number;
  lenient: number;
}

function isUntagged(html: string): boolean {
  return !/og:(?:title|description)|twitter:(?:title|description)|name=["']?description/i.test(html);
}

async function main(folder: string, mode: 'standard' | 'enhanced', isVerbose: boolean): Promise<void> {
  const read = (body: Buffer): Promise<PageExtract | null> =>
    extractPage({ body, contentType: 'text/html', url: 'https://fakehost.example/test/page.html' }, { mode });
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  const tallies = new Map<string, Progress>();
  const times: number[] = [];
  const cpuTimes: number[] = [];
  const before = process.memoryUsage.rss();
  let peak = before;
  for (let round = 0; round < 3; round += 1) {
    for (const name of names) {
      const body = readFileSync(join(folder, name, 'source.html'));
      const cpuStart = process.cpuUsage();
      const start = performance.now();
      const extract = await read(body);
      times.push(performance.now() - start);
      const cpu = process.cpuUsage(cpuStart);
      cpuTimes.push((cpu.user + cpu.system) / 1_000);
      peak = Math.max(peak, process.memoryUsage.rss());
      if (round > 0) continue;
      const expected = JSON.parse(
        readFileSync(join(folder, name, 'expected-metadata.json'), 'utf8'),
      ) as Expected;
      scorePage(tallies, {
        name,
        extract,
        expected,
        untagged: isUntagged(body.toString('latin1')),
        isVerbose,
      });
      const html = body.toString('latin1');
      if (!PICTURE_NAME.test(html) || !extract?.images[0]) continue;
      const rest = await read(Buffer.from(withoutPicture(html), 'latin1'));
      const picture = { name, found: rest?.images[0] ?? '', expected: extract.images[0] };
      scorePicture(tallies, picture, isVerbose);
    }
  }
  report(tallies);
  reportTimes('ms per page', times);
  reportTimes('CPU ms per page', cpuTimes);
  reportMemory(before, peak);
}

function scorePage(
  tallies: Map<string, Progress>,
  page: {
    name: string;
    extract: PageExtract | null;
    expected: Expected;
    untagged: boolean;
    isVerbose: boolean;
  },
): void {
  if (page.extract?.interstitial)
    console.log(`taken for an interstitial (${page.extract.interstitial}): ${page.name}`);
  for (const field of FIELDS) {
    const expected = field.expected(page.expected)?.trim();
    if (expected === undefined || expected === '') continue;
    const found = String(page.extract?.openGraph.get(field.key) ?? '');
    const { strict, lenient } =
      found === '' ? { strict: false, lenient: false } : field.compare(found, expected);
    count(tallies, field.name, { strict, lenient });
    if (page.untagged) count(tallies, `${field.name} (untagged)`, { strict, lenient });
    if (page.isVerbose && !strict) {
      const origin = page.extract?.origins.get(field.key) ?? 'nothing';
      const show = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 140);
      console.log(
        `${field.name} ${page.name} [${origin}]\n   found:    ${show(found)}\n   expected: ${show(expected)}`,
      );
    }
  }
}

function scorePicture(
  tallies: Map<string, Progress>,
  { name, found, expected }: { name: string; found: string; expected: string },
  isVerbose: boolean,
): void {
  const score = found === '' ? { strict: false, lenient: false } : comparePictures(found, expected);
  count(tallies, 'picture (not stated)', score);
  if (isVerbose && !score.lenient) {
    console.log(`picture ${name}\n   found:    ${found}\n   expected: ${expected}`);
  }
}

function count(
  tallies: Map<string, Progress>,
  group: string,
  { strict, lenient }: { strict: boolean; lenient: boolean },
): void {
  const progress = tallies.get(group) ?? { asked: 0, strict: 0, lenient: 0 };
  tallies.set(group, progress);
  progress.asked += 1;
  progress.strict += Number(strict);
  progress.lenient += Number(lenient);
}

function report(tallies: ReadonlyMap<string, Progress>): void {
  for (const [name, { asked, strict, lenient }] of tallies) {
    const percent = (hits: number): string => ((100 * hits) / asked).toFixed(1).padStart(5);
    console.log(`${name.padEnd(24)} strict ${percent(strict)} %  lenient ${percent(lenient)} %  of ${asked}`);
  }
}

function reportTimes(name: string, times: number[]): void {
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  console.log(`${name}: median ${at(0.5)}, p95 ${at(0.95)}, max ${at(0.9999)} (${times.length} runs)`);
}

function reportMemory(before: number, peak: number): void {
  const mb = (bytes: number): string => (bytes / 1_048_576).toFixed(0);
  console.log(`RSS: ${mb(before)} MB before, ${mb(peak)} MB at peak`);
}

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: npx tsx bench/extraction/score.ts FOLDER [standard] [-v]');
  process.exitCode = 2;
} else {
  await main(folder, flags.includes('standard') ? 'standard' : 'enhanced', flags.includes('-v'));
}

// Holds the web UI to its budget: what the first page loads, compressed, and what it leaves for later. Fails with the
// figures.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const DIST = fileURLToPath(new URL('../dist/web-admin', import.meta.url));
const BUDGET_BYTES = { script: 164_000, style: 16_000 };
/** What every page needs, and the one that is seen first. */
const AT_START = ['index.html', 'src/pages/overview/page.tsx'];
/** Loaded when opened: part of the UI, and a word of its library that stands in no other. */
const LATER = { 'src/ui/chart/time-chart.tsx': 'u-wrap' };

const manifest = JSON.parse(read('manifest.json'));

function read(path) {
  return readFileSync(join(DIST, path), 'utf8');
}

/** Files that come with these parts, before anything is opened. */
function filesOf(parts) {
  const seen = new Set(parts);
  const files = new Set();
  for (const part of seen) {
    const { file, css = [], imports = [] } = manifest[part];
    for (const path of [file, ...css]) files.add(path);
    for (const name of imports) seen.add(name);
  }
  return [...files];
}

function fail(sentence) {
  console.error(sentence);
  process.exitCode = 1;
}

const atStart = filesOf(AT_START);
for (const [kind, ending] of Object.entries({ script: '.js', style: '.css' })) {
  const files = atStart.filter((path) => path.endsWith(ending));
  const bytes = files.reduce((sum, path) => sum + gzipSync(read(path), { level: 9 }).length, 0);
  console.log(`web UI, ${kind} at start: ${bytes} of ${BUDGET_BYTES[kind]} bytes (gzip)`);
  if (bytes === 0 || bytes > BUDGET_BYTES[kind]) process.exitCode = 1;
}
for (const [part, word] of Object.entries(LATER)) {
  const holds = (path) => read(path).includes(word);
  if (!filesOf([part]).some(holds)) fail(`${part} has no ${word} any more: name another word of its library`);
  if (atStart.some(holds)) fail(`${part} is loaded at the start already`);
}
const page = read('index.html');
const unmanaged = page.match(/(?:src|href)="(?!__BASE_PATH__\/)[^"]*"/g) ?? [];
if (unmanaged.length > 0) fail(`the page loads from elsewhere: ${unmanaged.join(' ')}`);

// Holds the web UI to its budget: what the first page loads, compressed. Fails with the figures.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const DIST = fileURLToPath(new URL('../dist/web-admin', import.meta.url));
const BUDGET_BYTES = { script: 230_000, style: 40_000 };

const page = readFileSync(join(DIST, 'index.html'), 'utf8');
const kept = { script: 0, style: 0 };
for (const [, path] of page.matchAll(/(?:src|href)="__BASE_PATH__\/([^"]+\.(?:js|css))"/g)) {
  const kind = path.endsWith('.js') ? 'script' : 'style';
  kept[kind] += gzipSync(readFileSync(join(DIST, path)), { level: 9 }).length;
}
for (const [kind, limit] of Object.entries(BUDGET_BYTES)) {
  const bytes = kept[kind];
  console.log(`web UI, ${kind} at start: ${bytes} of ${limit} bytes (gzip)`);
  if (bytes === 0 || bytes > limit) process.exitCode = 1;
}
const unmanaged = page.match(/(?:src|href)="(?!__BASE_PATH__\/)[^"]*"/g) ?? [];
if (unmanaged.length > 0) {
  console.error(`the page loads from elsewhere: ${unmanaged.join(' ')}`);
  process.exitCode = 1;
}

// Loaded into each thread of a server before anything else: writes once a second what its engine's heap takes.
const { writeFileSync } = require('node:fs');
const path = require('node:path');
const { getHeapSpaceStatistics } = require('node:v8');
const { threadId } = require('node:worker_threads');

const folder = process.env.VIDIMUS_BENCH_HEAPS;
setInterval(() => {
  const spaces = getHeapSpaceStatistics().map((space) => [space.space_name, space.physical_space_size]);
  writeFileSync(path.join(folder, `heap-${threadId}.json`), JSON.stringify(Object.fromEntries(spaces)));
}, 1000).unref();

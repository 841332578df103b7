// Loaded into a server before anything else: adds each query whose plan is asked for to a file, a line of JSON each.
const { subscribe } = require('node:diagnostics_channel');
const { appendFileSync } = require('node:fs');

subscribe('vidimus:query-planning', (planned) =>
  appendFileSync(process.env.VIDIMUS_TEST_QUERIES, `${JSON.stringify(planned)}\n`),
);

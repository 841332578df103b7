import { loadSqliteDriver } from '../../../../src/core/store/sqlite/driver.js';
import { MediaWriters } from '../../../../src/core/preview/media/media-writers.js';

// Joins the writers of a folder, says so, and stays until it is killed by a test.
await MediaWriters.join(process.argv[2] ?? '', loadSqliteDriver());
process.stdout.write('joined\n');
setInterval(() => undefined, 60_000);

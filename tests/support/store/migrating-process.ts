// Run by migrate.test.ts as a process of its own: migrates what it is told to, prints what it applied.
import { migrate } from '../../../src/core/store/migrate.js';
import type { DatabaseOptions } from '../../../src/core/store/db.js';
import { createLogger } from '../../../src/core/base/logger.js';

const options = JSON.parse(process.argv[2] ?? '') as DatabaseOptions;
const { applied } = await migrate(options, createLogger({ level: 'silent' }));
process.stdout.write(JSON.stringify(applied));

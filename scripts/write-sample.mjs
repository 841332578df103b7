// npm run sample: writes config.sample.yaml from the settings; a test holds that it is the committed one.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { register } from 'tsx/esm/api';

import { ROOT } from './prepare.mjs';

register();
const { generateSample } = await import('../src/config/output/generate-sample.ts');
await writeFile(join(ROOT, 'config.sample.yaml'), generateSample());

// npm run sample: writes config.sample.yaml and config.schema.json from the settings; tests hold that they are the committed
// ones.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { register } from 'tsx/esm/api';

import { ROOT } from './prepare.mjs';

register();
const { generateSample } = await import('../src/config/output/generate-sample.ts');
const { configJsonSchema } = await import('../src/config/output/json-schema.ts');
await writeFile(join(ROOT, 'config.sample.yaml'), generateSample());
await writeFile(join(ROOT, 'config.schema.json'), `${JSON.stringify(configJsonSchema(), null, 2)}\n`);

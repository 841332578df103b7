// npm run generate: everything that is made from the sources and read as a file: database clients, migrations, the
// GraphQL schema, the web UI's types, the sample of the settings and their JSON schema.
import './check-node.mjs';

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { ROOT, buildPackages, install } = await import('./prepare.mjs');

const write = (path, text) => writeFileSync(join(ROOT, path), text);

install();
const { generate } = await import('./generate.mjs');
const { generateUi } = await import('./generate-ui.mjs');
buildPackages();
await generate();
await import('./typescript.mjs');
await import('./write-migrations.mjs');
const { createSchema } = await import('../src/graphql/schema.ts');
const { schemaText } = await import('../src/graphql/documented.ts');
write('web-admin/schema.graphql', schemaText(createSchema()));
await generateUi();
const { generateSample } = await import('../src/config/output/generate-sample.ts');
const { configJsonSchema } = await import('../src/config/output/json-schema.ts');
write('config.sample.yaml', generateSample());
write('config.schema.json', `${JSON.stringify(configJsonSchema(), null, 2)}\n`);

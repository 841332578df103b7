// npm run build: generated code, the web UI and the server, into dist, where sources have changed. A failed build leaves
// the last one in place; a running server has to be restarted after a build, since it loads some modules at first use.
import './check-node.mjs';

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { ROOT, buildPackages, install, sourceStamp, stalePart, stampFile } = await import('./prepare.mjs');
install();
const { generate } = await import('./generate.mjs');
const { generateUi } = await import('./generate-ui.mjs');

const BUILDERS = {
  'web-admin': async (folder) => {
    // With another value, as tests have it, React's slower and larger development form would be bundled.
    process.env.NODE_ENV = 'production';
    const { build } = await import('vite');
    await build({
      configFile: join(ROOT, 'web-admin/vite.config.ts'),
      build: { outDir: folder },
      logLevel: 'warn',
    });
  },
  server: async (folder) => {
    const { bundleServer } = await import('./bundle-server.mjs');
    await bundleServer(folder);
  },
};

if (stalePart() !== undefined) {
  buildPackages();
  await generate();
  await generateUi();
}
for (let part = stalePart(); part !== undefined; part = stalePart()) {
  const stamp = sourceStamp(part);
  rmSync(stampFile(part), { force: true });
  await replace(part, BUILDERS[part]);
  writeFileSync(stampFile(part), stamp);
}

/** Builds a part of dist beside the last one, and changes them over when it is complete. */
async function replace(part, make) {
  const [target, fresh] = [join(ROOT, 'dist', part), join(ROOT, 'dist', `${part}.${process.pid}`)];
  try {
    await make(fresh);
    rmSync(target, { recursive: true, force: true });
    renameSync(fresh, target);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

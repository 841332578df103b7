import { fileURLToPath } from 'node:url';

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

import { trustedDocuments } from './build/trusted-documents.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  plugins: [trustedDocuments(), react()],
  build: {
    outDir: here('../dist/web-admin'),
    emptyOutDir: true,
    // For scripts/check-ui-budget.mjs.
    manifest: 'manifest.json',
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
    // What is bundled is passed on, and its licences ask to go with it.
    license: { fileName: 'LICENSES.md' },
    rolldownOptions: {
      output: {
        // The server knows few types of files; a schema to download is text.
        assetFileNames: ({ names }) =>
          `assets/[name]-[hash]${names.some((name) => name.endsWith('.graphql')) ? '.txt' : '[extname]'}`,
      },
    },
  },
  experimental: {
    // The page names its scripts by the path the server puts in; scripts find each other by their own address.
    renderBuiltUrl: (name, { hostType }) =>
      hostType === 'html' ? `__BASE_PATH__/${name}` : { relative: true },
  },
});

// node scripts/bundle-server.mjs FOLDER: the server as JavaScript, with all packages in it that are nothing else. The
// dependencies of package.json stay outside: they hold machine code or read files of their own.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';

import { commitOf } from './write-commit.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** What is started: the command, the second thread, the process of a migration, and what tests start alone. */
const PROGRAMS = [
  'cli/main',
  'worker',
  'core/store/migration/child',
  'core/base/worker/serve-calls',
  'core/base/runtime/yield-to-main',
];
/** Asked for in a try block by the package that can do without. */
const ABSENT = ['class-validator'];

/** Of these only what is used of them is loaded: got-scraping brings generators of headers that nothing calls. */
const LOADED_IN_PART = /[/\\]node_modules[/\\](?:got-scraping|header-generator|ow)[/\\]/;

const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const outside = [...Object.keys(dependencies), ...ABSENT];

const bundle = await rolldown({
  cwd: ROOT,
  input: Object.fromEntries(PROGRAMS.map((name) => [name, join(ROOT, 'src', `${name}.ts`)])),
  platform: 'node',
  tsconfig: join(ROOT, 'tsconfig.json'),
  external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
  // As Node does, so that a package is there once, whoever asks for it.
  resolve: { mainFields: ['main', 'module'] },
  treeshake: { moduleSideEffects: (id) => !LOADED_IN_PART.test(id) },
  onLog(_level, { code, message }) {
    if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
    process.stderr.write(`${message}\n`);
  },
});
const output = resolve(process.argv[2]);
const { output: chunks } = await bundle.write({
  dir: output,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // Names of GraphQL types are those of their classes.
  keepNames: true,
  // V8 keeps the text of what it runs: one character beyond Latin-1 doubles it, and comments are a fifth of it.
  charset: 'ascii',
  comments: false,
});
writeFileSync(join(output, 'LICENSES.md'), licencesOf(chunks.flatMap(({ moduleIds }) => moduleIds)));

writeFileSync(join(output, 'commit'), commitOf(ROOT));

/** Licence texts of the packages that these files are from: what is passed on goes with them. */
function licencesOf(files) {
  const folders = new Set(files.map(packageFolder).filter((folder) => folder !== null));
  const entries = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `## ${name} - ${version} (${license})\n\n${licenceText(folder)}\n`;
  });
  return `# Packages bundled into the server\n\n${[...new Set(entries)].sort().join('\n')}`;
}

function packageFolder(file) {
  return /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(file)?.[0] ?? null;
}

function licenceText(folder) {
  const file = readdirSync(folder).find((name) => /^(?:licen[cs]e|copying|unlicense)/i.test(name));
  return file === undefined
    ? 'The package has no file with its licence.'
    : readFileSync(join(folder, file), 'utf8').trim();
}

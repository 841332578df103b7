// The server as JavaScript, with all packages in it that are nothing but JavaScript: a start reads 100 files instead of
// 1,500, in two thirds of the processor time. Packages run as they are published.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { rolldown } from 'rolldown';

import { ROOT } from './prepare.mjs';

/** Packages that hold machine code, or read files of their own: they are installed beside the bundle. */
export const BESIDE = ['@photostructure/sqlite', 'oembed-providers', 'sharp'];
/** Imported in a try block by a package that works without it. */
const ABSENT = ['class-validator'];
/** What is started: the command, the second thread, the process of a migration, and what tests start alone. */
const PROGRAMS = ['cli/main', 'worker', 'core/base/worker/worker-thread', 'core/base/runtime/yield-to-main'];
/** Their dynamic imports are made by every start of a server; others are made by some starts only. */
const STARTERS = ['cli/commands/serve', 'composition/services'];
/**
 * Packages whose modules may be left out where nothing of them is used, though they do not say so themselves:
 * got-scraping brings generators of headers, and the entities of dom-serializer tables for reading pages.
 */
const LOADED_IN_PART = /[/\\]node_modules[/\\](?:entities|got-scraping|header-generator|ow)[/\\]/;
/** Data in a package under another licence, and where its source is. */
const SUFFIX_LIST = `## Public Suffix List, in tldts (MPL-2.0)

Rules of https://publicsuffix.org/list/public_suffix_list.dat in another form, under the Mozilla Public License 2.0,
https://mozilla.org/MPL/2.0/.
`;

const source = (name) => join(ROOT, 'src', `${name}.ts`);

/** Bundles into `folder`. */
export async function bundleServer(folder) {
  const together = new Map();
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(PROGRAMS.filter(isThere).map((name) => [name, source(name)])),
    platform: 'node',
    tsconfig: join(ROOT, 'tsconfig.json'),
    external: (id) => [...BESIDE, ...ABSENT].some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [
      {
        name: 'together',
        buildEnd() {
          groupModules((id) => this.getModuleInfo(id), together);
        },
      },
    ],
    preserveEntrySignatures: 'allow-extension',
    // As Node does, so that a package is there once, whoever imports it.
    resolve: { mainFields: ['main', 'module'] },
    treeshake: { moduleSideEffects: (id) => (LOADED_IN_PART.test(id) ? false : undefined) },
    onLog(_level, { code, message }) {
      if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
      // A dynamic import also puts off running a module, wherever its code is.
      if (code !== 'INEFFECTIVE_DYNAMIC_IMPORT') process.stderr.write(`${message}\n`);
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'together', name: (id) => together.get(id) ?? null, minSize: 0 }],
    },
    // Names of GraphQL types are those of their classes.
    keepNames: true,
    // V8 keeps the text of what it runs: one character beyond Latin-1 doubles it, and comments are a fifth of it.
    charset: 'ascii',
    comments: false,
  });
  writeFileSync(join(folder, 'LICENSES.md'), licencesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)));
  writeFileSync(join(folder, 'commit'), commit());
}

function isThere(name) {
  return readdirSync(join(ROOT, 'src', name, '..')).includes(`${name.split('/').at(-1)}.ts`);
}

/** Fills `groups` with the chunk of each module that is always loaded with others: each file costs a start time. */
function groupModules(infoOf, groups) {
  const within = (ids) => {
    const found = new Set(ids);
    // A set takes what is added while it is gone through.
    for (const id of found) for (const each of infoOf(id)?.importedIds ?? []) found.add(each);
    return found;
  };
  const started = STARTERS.flatMap((name) => infoOf(source(name)).dynamicallyImportedIds);
  const [command, thread, serve] = [[source('cli/main')], [source('worker')], started].map(within);
  const programs = new Set(PROGRAMS.map(source));
  for (const id of new Set([...command, ...thread, ...serve])) {
    if (programs.has(id)) continue;
    const users = [
      command.has(id) ? 'command' : serve.has(id) ? 'serve' : '',
      thread.has(id) ? 'thread' : '',
    ];
    groups.set(id, users.filter(Boolean).join('-and-'));
  }
}

/** What `vidimus version` says: the commit, perhaps with changes. Without git: what the build of an image states. */
function commit() {
  const git = (...args) => spawnSync('git', ['-C', ROOT, ...args], { encoding: 'utf8' }).stdout?.trim() ?? '';
  const head =
    git('rev-parse', '--show-prefix') === '' ? git('rev-parse', '--verify', '--quiet', 'HEAD') : '';
  if (head === '') return /^[0-9a-f]{7,64}$/.exec(process.env.SOURCE_COMMIT ?? '')?.[0] ?? '';
  return git('status', '--porcelain', '--untracked-files=no') === '' ? head : `${head} and changes`;
}

/** Licence texts of the packages that these files are from. */
function licencesOf(files) {
  const folders = new Set(
    files.flatMap((file) => /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(file) ?? []),
  );
  const entries = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^(?:licen[cs]e|copying|unlicense)/i.test(each));
    const text =
      file === undefined
        ? 'The package has no file with its licence.'
        : readFileSync(join(folder, file), 'utf8');
    return `## ${name} - ${version} (${license})\n\n${text.trim()}\n`;
  });
  return `# Packages bundled into the server\n\n${[...new Set([...entries, SUFFIX_LIST])].sort().join('\n')}`;
}

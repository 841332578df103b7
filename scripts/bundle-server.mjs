// node scripts/bundle-server.mjs FOLDER: the server as JavaScript, with all packages in it that are nothing else. The
// dependencies of package.json stay outside: they hold machine code or read files of their own.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
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
/** Whose dynamic imports every start of a server makes; what else is imported so is for some starts only. */
const STARTERS = ['cli/commands/serve/serve-command', 'composition/services'];
/** What a package holds of others, under another licence than its own, and where that is to be had as written. */
const DATA_OF = {
  tldts: {
    name: 'Public Suffix List, in tldts',
    licence: 'MPL-2.0',
    text: 'Rules of https://publicsuffix.org/list/public_suffix_list.dat in another form, under the Mozilla Public License 2.0, https://mozilla.org/MPL/2.0/; they may be had there as source.',
  },
};
/** Asked for in a try block by the package that can do without. */
const ABSENT = ['class-validator'];

/**
 * Of these only what is used of them is loaded, which they do not say where the bundler looks: got-scraping brings
 * generators of headers that nothing calls, and the entities of dom-serializer tables for reading pages.
 */
const LOADED_IN_PART = /[/\\]node_modules[/\\](?:entities|got-scraping|header-generator|ow)[/\\]/;

/** What is changed in packages, which run the same with it: file, and what stands there how many times. */
const CHANGES = [
  {
    // What may be asked of a model is kept under the numbers of names, as members of plain objects. V8 makes arrays of
    // these, up to the largest number: 4.6 MB of holes in each process. Maps have none.
    file: /[/\\]@prisma[/\\]client[/\\]runtime[/\\]client\.js$/,
    parts: [
      ['let i=this.#i(),o={};', 'let i=this.#i(),o=new Map;', 2],
      [',o[a]=S}r.push({edges:o})', ',o.set(a,S)}r.push({edges:o})', 1],
      [',o[a]=P}r.push({edges:o})', ',o.set(a,P)}r.push({edges:o})', 1],
      ['n.edges[i]', 'n.edges.get(i)', 2],
    ],
  },
  {
    // Only the file of the place is used. To tell its line, the engine notes where each line of the file begins, and
    // keeps that.
    file: /[/\\]node_modules[/\\]depd[/\\]index\.js$/,
    parts: [
      [
        '  var site = callSiteLocation(stack[1])\n  var file = site[0]',
        '  var file = stack[1].getFileName()',
        1,
      ],
    ],
  },
  {
    // For the first of its kind, the engine reads what it knows of all languages: 8 MB and 40 ms. It is for a message
    // that nobody sees.
    file: /[/\\]@sindresorhus[/\\]is[/\\]distribution[/\\]index\.js$/,
    parts: [
      ['Formatter = new Intl.ListFormat', 'Formatter = () => new Intl.ListFormat', 2],
      ['Formatter.format', 'Formatter().format', 2],
    ],
  },
];
const unmet = new Set(CHANGES);
const changed = {
  name: 'changed',
  load(id) {
    const change = CHANGES.find(({ file }) => file.test(id));
    unmet.delete(change);
    return change?.parts.reduce(
      (code, [from, to, times]) => {
        const parts = code.split(from);
        if (parts.length !== times + 1) throw new Error(`${id} is another one: "${from}"`);
        return parts.join(to);
      },
      readFileSync(id, 'utf8'),
    );
  },
  buildEnd() {
    for (const { file } of unmet) throw new Error(`no file is ${file}: its package is another one`);
  },
};
/**
 * express brings readers of bodies, with half a megabyte of character tables, and got HTTP/2, for which Node loads some
 * 5 MB: nothing here calls them.
 */
const UNUSED = /[/\\]node_modules[/\\](?:body-parser[/\\]index|http2-wrapper[/\\]source[/\\]index)\.js$/;
const unused = {
  name: 'unused',
  load: (id) => (UNUSED.test(id) ? 'module.exports = {};' : null),
};
/**
 * Modules of CommonJS are functions that run once. V8 compiles one with the file only when it begins with "(function",
 * else it reads it twice.
 */
const readOnce = {
  name: 'read-once',
  renderChunk: (code) =>
    code.replaceAll(
      /(?<=__commonJSMin\(\()(\([^()]*\)) => \{$/gm,
      (_, parameters) => `function${parameters} {`,
    ),
};
/**
 * A module of Node that is imported is asked for all its exports, and some are loaded only when they are asked for:
 * `node:http` has a `WebSocket` from Node 22 on, which is 15 MB. Taken as an object it is asked for what is used.
 */
const IMPORT_OF_NODE =
  /^import (?:(?:\* as )?([\w$]+))?(?:, )?(?:\{([^{}]*)\})? ?(?:from )?"((?:node:)?[\w/]+)";$/gm;
const nodeAsObjects = {
  name: 'node-as-objects',
  renderChunk: (code) =>
    code.replaceAll(IMPORT_OF_NODE, (statement, whole, names, id) => {
      if (!isBuiltin(id)) return statement;
      const module = `process.getBuiltinModule("${id}")`;
      const parts = names === undefined ? [] : [`{${names.replaceAll(' as ', ': ')}} = ${whole ?? module}`];
      if (whole !== undefined) parts.unshift(`${whole} = ${module}`);
      return parts.length === 0 ? '' : `const ${parts.join(', ')};`;
    }),
};
/** Modules that are always loaded together, under the name of their chunk. */
const togetherAt = new Map();
const together = {
  name: 'together',
  buildEnd() {
    const source = (name) => join(ROOT, 'src', `${name}.ts`);
    const within = (ids) => {
      const found = new Set(ids);
      // A set takes what is added while it is gone through.
      for (const id of found) for (const each of this.getModuleInfo(id)?.importedIds ?? []) found.add(each);
      return found;
    };
    const started = STARTERS.flatMap((name) => this.getModuleInfo(source(name)).dynamicallyImportedIds);
    const [command, thread, serve] = [[source('cli/main')], [source('worker')], started].map(within);
    const programs = new Set(PROGRAMS.map(source));
    for (const id of new Set([...command, ...thread, ...serve])) {
      if (programs.has(id)) continue;
      const users = [
        command.has(id) ? 'command' : serve.has(id) ? 'serve' : '',
        thread.has(id) ? 'thread' : '',
      ];
      togetherAt.set(id, users.filter(Boolean).join('-and-'));
    }
  },
};

const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const outside = [...Object.keys(dependencies), ...ABSENT];

const bundle = await rolldown({
  cwd: ROOT,
  input: Object.fromEntries(PROGRAMS.map((name) => [name, join(ROOT, 'src', `${name}.ts`)])),
  platform: 'node',
  tsconfig: join(ROOT, 'tsconfig.json'),
  external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [changed, unused, readOnce, nodeAsObjects, together],
  preserveEntrySignatures: 'allow-extension',
  // As Node does, so that a package is there once, whoever asks for it.
  resolve: { mainFields: ['main', 'module'] },
  treeshake: { moduleSideEffects: (id) => (LOADED_IN_PART.test(id) ? false : undefined) },
  onLog(_level, { code, message }) {
    if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
    // A dynamic import also puts off running a module, wherever its code is.
    if (code === 'INEFFECTIVE_DYNAMIC_IMPORT') return;
    process.stderr.write(`${message}\n`);
  },
});
const output = resolve(process.argv[2]);
const { output: chunks } = await bundle.write({
  dir: output,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // Each file that Node finds, reads and links takes a start about as long as 10 kB of code.
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ debugName: 'together', name: (id) => togetherAt.get(id) ?? null, minSize: 0 }],
  },
  // Names of GraphQL types are those of their classes.
  keepNames: true,
  // V8 keeps the text of what it runs: one character beyond Latin-1 doubles it, and comments are a fifth of it.
  charset: 'ascii',
  comments: false,
});
writeFileSync(join(output, 'LICENSES.md'), licencesOf(chunks.flatMap(({ moduleIds = [] }) => moduleIds)));

writeFileSync(join(output, 'commit'), commitOf(ROOT));

/** Licence texts of the packages that these files are from: what is passed on goes with them. */
function licencesOf(files) {
  const folders = new Set(files.map(packageFolder).filter((folder) => folder !== null));
  const entries = [...folders].flatMap((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const own = `## ${name} - ${version} (${license})\n\n${licenceText(folder)}\n`;
    const data = DATA_OF[name];
    if (data === undefined) return [own];
    return [own, `## ${data.name} - ${version} (${data.licence})\n\n${data.text}\n`];
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

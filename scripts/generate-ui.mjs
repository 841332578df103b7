// Types of the web UI's operations and the list of documents the server trusts, from web-admin/schema.graphql and
// the graphql(`…`) texts of web-admin/src. Uses the generator's core: its command cannot be installed offline.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const SCHEMA = join(ROOT, 'web-admin/schema.graphql');
const SOURCES = join(ROOT, 'web-admin/src');
const OUTPUT = join(SOURCES, 'gql');
const STAMP = join(OUTPUT, '.stamp');
const DOCUMENT = /\bgraphql\(\s*(?:\/\*\s*GraphQL\s*\*\/\s*)?`([^`]*)`,?\s*\)/g;

const require = createRequire(import.meta.url);

function readDocuments() {
  const files = readdirSync(SOURCES, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.startsWith(OUTPUT))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(DOCUMENT)].map((match) => ({
      location: relative(ROOT, file),
      rawSDL: match[1],
    })),
  );
}

function stampOf(schema, documents) {
  const hash = createHash('sha256').update(schema);
  hash.update(require('@graphql-codegen/client-preset/package.json').version);
  hash.update(readFileSync(fileURLToPath(import.meta.url)));
  for (const { location, rawSDL } of documents)
    hash.update(location).update('\0').update(rawSDL).update('\0');
  return hash.digest('hex');
}

async function sectionsOf(schemaText, documents) {
  const { buildASTSchema, parse } = require('graphql');
  const { preset } = await import('@graphql-codegen/client-preset');
  const schema = parse(schemaText);
  const parsed = documents.map((document) => ({ ...document, document: parse(document.rawSDL) }));
  const config = {
    enumType: 'string-literal',
    enumsAsTypes: true,
    useTypeImports: true,
    scalars: { ID: 'string', DateTime: 'string', SafeInt: 'number', JSON: 'unknown' },
  };
  return preset.buildGeneratesSection({
    baseOutputDir: 'gql/',
    schema,
    schemaAst: buildASTSchema(schema),
    documents: parsed,
    config,
    presetConfig: { fragmentMasking: false, persistedDocuments: { hashAlgorithm: 'sha256' } },
    plugins: [],
    pluginMap: {},
    pluginContext: {},
    documentTransforms: [],
  });
}

/** id → text of each operation with its fragments; the id is the SHA-256 of that text in hex. */
function readManifest() {
  const texts = Object.values(JSON.parse(readFileSync(join(OUTPUT, 'persisted-documents.json'), 'utf8')));
  return Object.fromEntries(texts.map((text) => [createHash('sha256').update(text).digest('hex'), text]));
}

/** Name → id, for the build step that leaves only these two of a document in the bundle. */
function idsByName(manifest) {
  const names = Object.entries(manifest).map(([id, text]) => [
    /\b(?:query|mutation) (\w+)/.exec(text)[1],
    id,
  ]);
  if (new Set(names.map(([name]) => name)).size !== names.length)
    throw new Error('two operations share a name');
  return Object.fromEntries(names.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Generates what is missing or stale; resolves to true when something was written. */
export async function generateUi() {
  const schema = readFileSync(SCHEMA, 'utf8');
  const documents = readDocuments();
  const stamp = stampOf(schema, documents);
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return false;
  const { codegen } = require('@graphql-codegen/core');
  const sections = await sectionsOf(schema, documents);
  const texts = await Promise.all(sections.map((section) => codegen(section)));
  mkdirSync(OUTPUT, { recursive: true });
  sections.forEach((section, index) => writeFileSync(join(SOURCES, section.filename), texts[index]));
  const manifest = readManifest();
  writeFileSync(join(OUTPUT, 'trusted-documents.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(OUTPUT, 'ids.json'), `${JSON.stringify(idsByName(manifest), null, 2)}\n`);
  writeFileSync(STAMP, stamp);
  return true;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    console.log(
      (await generateUi()) ? 'types of the web UI generated' : 'types of the web UI are up to date',
    );
  } catch (error) {
    console.error(error.message ?? error);
    process.exitCode = 1;
  }
}

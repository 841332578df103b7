// Types of the web UI's operations and the list of documents the server trusts, from web-admin/schema.graphql and
// the graphql(`…`) texts of web-admin/src.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { Kind, buildSchema, parse, print } from 'graphql';
import { typesOf } from './ui-types.mjs';

const ROOT = resolve(fileURLToPath(import.meta.url), '../..');
const SCHEMA = join(ROOT, 'web-admin/schema.graphql');
const SOURCES = join(ROOT, 'web-admin/src');
const OUTPUT = join(SOURCES, 'gql');
const STAMP = join(OUTPUT, '.stamp');
const DOCUMENT = /\bgraphql\(\s*(?:\/\*\s*GraphQL\s*\*\/\s*)?`([^`]*)`,?\s*\)/g;
const TYPED = "import type { TypedDocumentNode } from '@graphql-typed-document-node/core';";

/** The texts as they stand, each with its one definition. */
function readDocuments() {
  const files = readdirSync(SOURCES, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.startsWith(OUTPUT))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(DOCUMENT)].map(([, text]) => {
      const [definition, ...more] = parse(text).definitions;
      if (more.length > 0) throw new Error(`${file} has several definitions in one text`);
      return { text, definition };
    }),
  );
}

function stampOf(schema, documents) {
  const hash = createHash('sha256').update(schema);
  for (const script of ['generate-ui.mjs', 'ui-types.mjs'])
    hash.update(readFileSync(join(ROOT, 'scripts', script)));
  for (const { text } of documents) hash.update(text).update('\0');
  return hash.digest('hex');
}

/** Id → text of each operation with its fragments, and name → id; the id is the SHA-256 of that text in hex. */
function trustedOf(operations, fragments) {
  const [trusted, ids] = [{}, {}];
  for (const operation of operations) {
    const text = [operation, ...fragmentsOf(operation, fragments)].map(print).join('\n\n');
    const id = createHash('sha256').update(text).digest('hex');
    const { value: name } = operation.name;
    if (name in ids) throw new Error(`two operations are called ${name}`);
    trusted[id] = text;
    ids[name] = id;
  }
  return { trusted, ids };
}

/** Those that a definition uses, directly or through others. */
function fragmentsOf(definition, fragments, used = new Set()) {
  for (const [, name] of print(definition).matchAll(/\.\.\.([A-Z]\w*)/g)) {
    const fragment = fragments.get(name);
    if (fragment === undefined) throw new Error(`no fragment is called ${name}`);
    if (!used.has(fragment)) fragmentsOf(fragment, fragments, used.add(fragment));
  }
  return used;
}

/** `graphql` gives each text its types. The build leaves an id and a name of each; without it there is nothing to give. */
function tagOf(documents) {
  const overloads = documents.map(({ text, definition }) => {
    const { kind, operation = '', name } = definition;
    const type = name.value + operation.slice(0, 1).toUpperCase() + operation.slice(1);
    const result =
      kind === Kind.OPERATION_DEFINITION
        ? `TypedDocumentNode<types.${type}, types.${type}Variables>`
        : 'unknown';
    return `export function graphql(source: ${JSON.stringify(text)}): ${result};`;
  });
  const body = 'export function graphql(_source: string): unknown {\n  return {};\n}';
  return [TYPED, "import type * as types from './graphql.js';", '', ...overloads, body, ''].join('\n');
}

/** Generates what is missing or stale; resolves to true when something was written. */
export async function generateUi() {
  const schema = readFileSync(SCHEMA, 'utf8');
  const documents = readDocuments();
  const stamp = stampOf(schema, documents);
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return false;
  const definitions = documents.map(({ definition }) => definition);
  const operations = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const fragments = new Map(
    definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  );
  const { trusted, ids } = trustedOf(operations, fragments);
  const files = {
    'graphql.ts': typesOf(buildSchema(schema), operations, fragments),
    'gql.ts': tagOf(documents),
    'trusted-documents.json': `${JSON.stringify(trusted, null, 2)}\n`,
    'ids.json': `${JSON.stringify(ids, null, 2)}\n`,
  };
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(OUTPUT, name), text);
  writeFileSync(STAMP, stamp);
  return true;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    const isNew = await generateUi();
    console.log(isNew ? 'types of the web UI generated' : 'types of the web UI are up to date');
  } catch (error) {
    console.error(error.message ?? error);
    process.exitCode = 1;
  }
}

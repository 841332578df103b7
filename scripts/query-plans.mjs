// Prisma's query compilers as files, and what they make of the queries of prisma/known-queries.jsonl. A server then
// neither reads nor starts the compiler before it is asked something else.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

/** What the adapters say of themselves; the plans are for no others. */
const ADAPTERS = {
  sqlite: { provider: 'sqlite', connectionInfo: { maxBindValues: 32_766, supportsRelationJoins: false } },
  postgresql: { provider: 'postgres', connectionInfo: { supportsRelationJoins: true } },
};

/** Writes both into the folder of the generated client of `engine`, whose models are those of `datamodel`. */
export async function writeQueryPlans({ engine, datamodel, queriesFile, folder }) {
  const name = `@prisma/client/runtime/query_compiler_small_bg.${engine}`;
  const wasm = Buffer.from(require(`${name}.wasm-base64.js`).wasm, 'base64');
  const options = { datamodel, ...ADAPTERS[engine] };
  const compiler = startCompiler(require(`${name}.js`), wasm, options);
  const queries = (await readFile(queriesFile, 'utf8')).trim().split('\n');
  const plans = queries.map((query) => [
    query,
    query.startsWith('{"batch":') ? compiler.compileBatch(query) : compiler.compile(query),
  ]);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'query-compiler.wasm'), wasm);
  await writeFile(
    join(folder, 'query-plans.json'),
    JSON.stringify({ connectionInfo: options.connectionInfo, plans }),
  );
}

/** As Prisma's client does it. */
function startCompiler(runtime, wasm, options) {
  globalThis.PRISMA_WASM_PANIC_REGISTRY = {
    set_message(message) {
      throw new Error(message);
    },
  };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm), {
    './query_compiler_small_bg.js': runtime,
  });
  runtime.__wbg_set_wasm(exports);
  exports.__wbindgen_start();
  return new runtime.QueryCompiler(options);
}

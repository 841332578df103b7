import { channel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';

import type { GetPrismaClientConfig } from '@prisma/client/runtime/client';

type Engine = 'sqlite' | 'postgresql';
type CompilerLoading = NonNullable<GetPrismaClientConfig['compilerWasm']>;
type CompilerRuntime = Awaited<ReturnType<CompilerLoading['getRuntime']>>;
type QueryCompilerConstructor = CompilerRuntime['QueryCompiler'];
type QueryCompilerOptions = ConstructorParameters<QueryCompilerConstructor>[0];
type QueryCompiler = InstanceType<QueryCompilerConstructor>;

type Plan = ReturnType<QueryCompiler['compile']> & ReturnType<QueryCompiler['compileBatch']>;

/** What `scripts/query-plans.mjs` wrote: plans by the text of their query, for connections of one kind. */
interface KnownPlans {
  connectionInfo: QueryCompilerOptions['connectionInfo'];
  plans: [string, Plan][];
}

/** Message of `queryPlanning`: a query in the form of `prisma/known-queries.jsonl`, and whether its plan was known. */
export interface PlannedQuery {
  query: string;
  isKnown: boolean;
}

/** Told of each query that Prisma's client asks its compiler for, once for each form of a query. */
export const queryPlanning = channel('vidimus:query-planning');

/** What the types of Node 20 leave out. */
interface WebAssemblyTypes {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: { __wbindgen_start(): void } };
}
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every Node has it
const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyTypes }).WebAssembly;

/** A module that exports `__wbindgen_start`, a function that does nothing: what the client starts at once. */
const NOTHING = Buffer.from('AGFzbQEAAAABBAFgAAADAgEABxQBEF9fd2JpbmRnZW5fc3RhcnQAAAoEAQIACw==', 'base64');

/** What is made here: Prisma keeps it, and passes it on when the next client is made. */
const plannedConfigs = new WeakSet<GetPrismaClientConfig>();

/**
 * The configuration of Prisma's client with a compiler that has plans of the queries known when it was built, and is
 * started when it is asked for another one: that takes 60 ms of the event loop, once, and some 7 MB.
 */
export function withKnownPlans(engine: Engine, config: GetPrismaClientConfig): GetPrismaClientConfig {
  if (plannedConfigs.has(config)) return config;
  const { compilerWasm } = config;
  if (compilerWasm === undefined) throw new Error("Prisma's client is one without a compiler");
  const getRuntime = async (): Promise<CompilerRuntime> => {
    const plans = new Planning(engine, compilerWasm.importName, await compilerWasm.getRuntime());
    return { __wbg_set_wasm: () => undefined, QueryCompiler: plans.compilerClass() };
  };
  const getQueryCompilerWasmModule = async () => new Module(NOTHING);
  const planned = { ...config, compilerWasm: { ...compilerWasm, getRuntime, getQueryCompilerWasmModule } };
  plannedConfigs.add(planned);
  return planned;
}

class Planning {
  readonly #plans: ReadonlyMap<string, Plan>;
  readonly #knownConnection: string;
  #isStarted = false;

  constructor(
    private readonly engine: Engine,
    private readonly importName: string,
    private readonly runtime: CompilerRuntime,
  ) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made with the client
    const known = JSON.parse(this.#read('query-plans.json').toString('utf8')) as KnownPlans;
    this.#plans = new Map(known.plans);
    this.#knownConnection = JSON.stringify(known.connectionInfo);
  }

  compilerClass(): QueryCompilerConstructor {
    const find = (query: string, options: QueryCompilerOptions) => this.#find(query, options);
    const start = (options: QueryCompilerOptions) => this.#start(options);
    return class implements QueryCompiler {
      #compiler: QueryCompiler | null = null;
      readonly #options: QueryCompilerOptions;

      constructor(options: QueryCompilerOptions) {
        this.#options = options;
      }

      compile(query: string): ReturnType<QueryCompiler['compile']> {
        return find(query, this.#options) ?? this.#started().compile(query);
      }

      compileBatch(batch: string): ReturnType<QueryCompiler['compileBatch']> {
        return find(batch, this.#options) ?? this.#started().compileBatch(batch);
      }

      free(): void {
        this.#compiler?.free();
        this.#compiler = null;
      }

      #started(): QueryCompiler {
        return (this.#compiler ??= start(this.#options));
      }
    };
  }

  #find(query: string, { connectionInfo }: QueryCompilerOptions): Plan | undefined {
    const isKnownConnection = JSON.stringify(connectionInfo) === this.#knownConnection;
    const plan = isKnownConnection ? this.#plans.get(query) : undefined;
    if (queryPlanning.hasSubscribers) queryPlanning.publish({ query, isKnown: plan !== undefined });
    return plan;
  }

  #start(options: QueryCompilerOptions): QueryCompiler {
    if (!this.#isStarted) {
      const module = new Module(this.#read('query-compiler.wasm'));
      const { exports } = new Instance(module, { [this.importName]: this.runtime });
      this.runtime.__wbg_set_wasm(exports);
      exports.__wbindgen_start();
      this.#isStarted = true;
    }
    return new this.runtime.QueryCompiler(options);
  }

  #read(name: string): Buffer {
    return readFileSync(new URL(`./generated/${this.engine}/${name}`, import.meta.url));
  }
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  bindMigrationAwareSqlAdapterFactory,
  type ErrorRegistry,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';

type Bindings = typeof import('@prisma/schema-engine-wasm/schema_engine_bg') & {
  __wbg_set_wasm(exports: object): void;
};

/** What Node has under this global name, and its types do not. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
};

/**
 * Prisma's own schema engine in its WebAssembly form. Load it once per process (a second instance
 * panics) and only in short-lived processes: its memory never comes back.
 */
export class MigrationEngine {
  readonly #bindings: Bindings;

  private constructor(bindings: Bindings) {
    this.#bindings = bindings;
  }

  static async load(): Promise<MigrationEngine> {
    const bindings = (await import('@prisma/schema-engine-wasm/schema_engine_bg')) as Bindings;
    const folder = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'));
    const bytes = await readFile(join(folder, 'schema_engine_bg.wasm'));
    // Without this object a panic of the engine shows as an unrelated TypeError.
    Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: reportPanic } });
    const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': bindings });
    bindings.__wbg_set_wasm(instance.exports);
    instance.exports.__wbindgen_start();
    return new MigrationEngine(bindings);
  }

  /**
   * Runs `work` on an engine that talks to the database through `factory`. Afterwards every connection the
   * engine opened is closed: it does not do so itself and would keep its locks.
   */
  async use<T>(
    factory: SqlMigrationAwareDriverAdapterFactory,
    work: (engine: SchemaEngine) => Promise<T>,
  ): Promise<T> {
    const opened: SqlDriverAdapter[] = [];
    const bound = bindMigrationAwareSqlAdapterFactory(rememberingFactory(factory, opened));
    let engine: SchemaEngine | null = null;
    try {
      engine = await this.#bindings.SchemaEngine.new({ datamodels: undefined }, () => undefined, bound);
      return await work(engine);
    } catch (error) {
      throw originalError(error, bound.errorRegistry);
    } finally {
      for (const adapter of opened) await adapter.dispose();
      engine?.free();
    }
  }
}

function reportPanic(message: string): void {
  process.stderr.write(`schema engine: ${message}\n`);
}

function rememberingFactory(
  factory: SqlMigrationAwareDriverAdapterFactory,
  opened: SqlDriverAdapter[],
): SqlMigrationAwareDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => {
      const adapter = await factory.connect();
      opened.push(adapter);
      return adapter;
    },
    connectToShadowDb: () => factory.connectToShadowDb(),
  };
}

/** The engine only passes on "External error id#N"; the error itself stands in the registry. */
function originalError(error: unknown, registry: ErrorRegistry): unknown {
  const message = error instanceof Error ? error.message : String(error);
  const id = /id#(\d+)/.exec(message)?.[1];
  return id === undefined ? error : (registry.consumeError(Number(id))?.error ?? error);
}

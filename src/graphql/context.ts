import type { AuditNote } from '../core/access/operators/audit.js';
import type { Viewer } from '../core/access/operators/viewer.js';
import type { OperatorServices } from '../core/operators/operator-services.js';

/** What goes out over an event stream while an operation works: one of both. */
export interface WatchedStage {
  /** A stage that takes a while has begun; the next stage of either kind follows it. */
  began?: { name: string; title: string; startedAtMs: number };
  /** A stage has ended: the members of `TraceStep`, as the schema spells them. */
  ended?: Record<string, unknown>;
}

/** What every resolver gets, made anew for each request. */
export interface GraphqlContext {
  /** `null` for anonymous clients, who reach no field but `viewer`; elsewhere use `viewerOf`. */
  viewer: Viewer | null;
  requestId: string;
  /** Address of the client; `null` when not known. */
  address: string | null;
  services: OperatorServices;
  /** Batched look-ups: `context.loaders.of(mediaById).load(id)`. */
  loaders: BatchLoaders;
  /** What a mutation tells the audit table about itself. */
  audit: AuditNote;
  /** Aborted when the request's time is over or the client has gone: hand it to everything that takes long. */
  signal: AbortSignal;
  /** Told of stages of `WATCHED_MUTATIONS` as they come; `null`: nobody watches. */
  onStage: ((stage: WatchedStage) => void) | null;
}

/** One look-up for many keys: the values in the order of the keys, `null` for what is not there. */
export type BatchLookup<Key, Value> = (
  keys: readonly Key[],
  context: GraphqlContext,
) => Promise<readonly (Value | null)[]>;

/** The signed-in operator; root fields other than `viewer` are refused to anonymous clients before a resolver runs. */
export function viewerOf(context: GraphqlContext): Viewer {
  if (context.viewer === null) throw new Error('an anonymous client reached a guarded field');
  return context.viewer;
}

/** A look-up that finds rows by keys and gives them in the order of the keys. */
export function lookupBy<Key, Row, Item>(
  find: (keys: readonly Key[], context: GraphqlContext) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
  toItem: (row: Row, context: GraphqlContext) => Item,
): BatchLookup<Key, Item> {
  return async (keys, context) => {
    const rows = await find(keys, context);
    const found = new Map(rows.map((row) => [keyOf(row), toItem(row, context)]));
    return keys.map((key) => found.get(key) ?? null);
  };
}

/** A look-up that finds any number of rows for each key; `keysOf` says which a row is for. */
export function lookupAllBy<Key, Row>(
  find: (keys: readonly Key[], context: GraphqlContext) => Promise<readonly Row[]>,
  keysOf: (row: Row) => readonly (Key | null)[],
): BatchLookup<Key, Row[]> {
  return async (keys, context) => {
    const rows = await find(keys, context);
    return keys.map((key) => rows.filter((row) => keysOf(row).includes(key)));
  };
}

/** Beyond this many keys a batch becomes several look-ups, which bounds the size of a statement. */
const MAX_BATCH = 200;

/** Collects the keys asked for in one turn of the event loop, and looks them up together, each once. */
class BatchLoader<Key extends string | number, Value> {
  readonly #known = new Map<Key, Promise<Value | null>>();
  #waiting: { key: Key; resolve(value: Value | null): void; reject(error: unknown): void }[] = [];

  constructor(
    private readonly lookup: BatchLookup<Key, Value>,
    private readonly context: GraphqlContext,
  ) {}

  /** The value of one key; the same promise for the same key. */
  load(key: Key): Promise<Value | null> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const promise = new Promise<Value | null>((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#run());
      this.#waiting.push({ key, resolve, reject });
    });
    this.#known.set(key, promise);
    return promise;
  }

  #run(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < waiting.length; at += MAX_BATCH) {
      const batch = waiting.slice(at, at + MAX_BATCH);
      this.lookup(
        batch.map(({ key }) => key),
        this.context,
      ).then(
        (values) => batch.forEach((asked, index) => asked.resolve(values[index] ?? null)),
        (error: unknown) => batch.forEach((asked) => asked.reject(error)),
      );
    }
  }
}

/** The loaders of one request, made when first asked for; a look-up function is its own name. */
export class BatchLoaders {
  readonly #loaders = new Map<unknown, unknown>();

  constructor(private readonly context: () => GraphqlContext) {}

  /** The loader of this request for a look-up, which must be a constant of its module. */
  of<Key extends string | number, Value>(lookup: BatchLookup<Key, Value>): BatchLoader<Key, Value> {
    // Only loaders made for the same look-up are kept under it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a map cannot say that of its types
    const known = this.#loaders.get(lookup) as BatchLoader<Key, Value> | undefined;
    if (known !== undefined) return known;
    const made = new BatchLoader(lookup, this.context());
    this.#loaders.set(lookup, made);
    return made;
  }
}

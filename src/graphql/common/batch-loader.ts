/** One look-up for many keys: the values in the order of the keys, `null` for what is not there. */
export type LookupMany<Key, Value, Context> = (
  keys: readonly Key[],
  context: Context,
) => Promise<readonly (Value | null)[]>;

/** A look-up that finds rows by keys and gives them in the order of the keys. */
export function lookupBy<Key, Row, Item, Context>(
  find: (keys: readonly Key[], context: Context) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
  toItem: (row: Row, context: Context) => Item,
): LookupMany<Key, Item, Context> {
  return async (keys, context) => {
    const rows = await find(keys, context);
    const found = new Map(rows.map((row) => [keyOf(row), toItem(row, context)]));
    return keys.map((key) => found.get(key) ?? null);
  };
}

/** Beyond this many keys a batch becomes several look-ups, which bounds the size of a statement. */
const MAX_BATCH = 200;

/** Collects the keys asked for in one turn of the event loop, and looks them up together, each once. */
class BatchLoader<Key extends string | number, Value, Context> {
  readonly #known = new Map<Key, Promise<Value | null>>();
  #waiting: { key: Key; resolve(value: Value | null): void; reject(error: unknown): void }[] = [];

  constructor(
    private readonly lookup: LookupMany<Key, Value, Context>,
    private readonly context: Context,
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
export class BatchLoaders<Context> {
  readonly #loaders = new Map<unknown, unknown>();

  constructor(private readonly context: () => Context) {}

  /** The loader of this request for a look-up, which must be a constant of its module. */
  of<Key extends string | number, Value>(
    lookup: LookupMany<Key, Value, Context>,
  ): BatchLoader<Key, Value, Context> {
    // Only loaders made for the same look-up are kept under it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a map cannot say that of its types
    const known = this.#loaders.get(lookup) as BatchLoader<Key, Value, Context> | undefined;
    if (known !== undefined) return known;
    const made = new BatchLoader(lookup, this.context());
    this.#loaders.set(lookup, made);
    return made;
  }
}

import { countAll } from './count-all.js';
import type { Database } from './db.js';
import { countRows, findPage } from './keyset-page.js';
import type { CappedCount, Page, PageRequest, ScanOptions } from './keyset-page.js';
import type { KeysetListing } from './keyset-walk.js';

/** How a list reads the rows whose keys it has found. */
export interface RecordListOptions<Wanted, Key, Row> {
  listing(wanted: Wanted): KeysetListing;
  /** The value of the key column in the form that `find` takes. */
  readKey(value: unknown): Key;
  /** Those that are there, in any order. */
  find(keys: readonly Key[]): Promise<Row[]>;
  keyOf(row: Row): Key;
}

/** A list for operators: pages found by keyset, their rows read by key. */
export class RecordList<Wanted, Key, Row> {
  constructor(
    private readonly database: Database,
    private readonly options: RecordListOptions<Wanted, Key, Row>,
  ) {}

  /** One page; a search that finds little ends early, and its cursor goes on. Throws 400 for a foreign cursor. */
  async page(wanted: Wanted, request: PageRequest, scan: ScanOptions = {}): Promise<Page<Row>> {
    const { listing, find, keyOf, readKey } = this.options;
    const page = await findPage<{ keyset_key: unknown }>(this.database, listing(wanted), request, scan);
    const keys = page.rows.map(({ row }) => readKey(row.keyset_key));
    const found = new Map((await find(keys)).map((row) => [keyOf(row), row]));
    // One that went meanwhile is left out.
    const rows = page.rows.flatMap(({ cursor, row }) => {
      const record = found.get(readKey(row.keyset_key));
      return record === undefined ? [] : [{ cursor, row: record }];
    });
    return { ...page, rows };
  }

  /** How many there are, as far as is worth while. */
  count(wanted: Wanted, scan: ScanOptions = {}): Promise<CappedCount> {
    return countRows(this.database, this.options.listing(wanted), scan);
  }

  /** How many there are to the last one; takes as long as it takes. */
  countAll(wanted: Wanted, signal?: AbortSignal): Promise<number> {
    return countAll(this.database, this.options.listing(wanted), signal);
  }
}

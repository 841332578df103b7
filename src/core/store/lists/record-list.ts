import { countAll } from './count-all.js';
import type { Database } from '../db.js';
import { countLists, findFirstPages, type FoundKey } from './many-lists.js';
import {
  eachPage,
  countRows,
  findPage,
  type CappedCount,
  type Page,
  type PageRequest,
  type ScanLimits,
  type ScanOptions,
} from './keyset-page.js';
import type { KeysetListing } from './keyset-walk.js';

/** How a list reads the rows whose keys it has found. */
export interface RecordListOptions<Wanted, Key, Row> {
  listing: (wanted: Wanted) => KeysetListing;
  /** The value of the key column in the form that `find` takes. */
  readKey: (value: unknown) => Key;
  /** Those that are there, in any order. */
  find: (keys: readonly Key[]) => Promise<Row[]>;
  keyOf: (row: Row) => Key;
}

/** A first page of a million rows, its count included, costs less than 50 ms of CPU whatever is searched for. */
const LIMITS: ScanLimits = { windowRows: 5000, windows: 5, countWindows: 2 };

/** A list for operators: pages found by keyset, their rows read by key. */
export class RecordList<Wanted, Key, Row> {
  constructor(
    private readonly database: Database,
    private readonly options: RecordListOptions<Wanted, Key, Row>,
  ) {}

  /** The rows of these keys that are there, in any order. */
  find(keys: readonly Key[]): Promise<Row[]> {
    return this.options.find(keys);
  }

  /**
   * One page; a search that finds little ends early, and its cursor goes on. Throws 400 for a cursor of another list.
   */
  async page(wanted: Wanted, request: PageRequest, scan: ScanOptions = {}): Promise<Page<Row>> {
    const { listing, find, keyOf, readKey } = this.options;
    const page = await findPage<{ keyset_key: unknown }>(this.database, listing(wanted), {
      limits: LIMITS,
      ...request,
      ...scan,
    });
    const keys = page.rows.map(({ row }) => readKey(row.keyset_key));
    const found = new Map((await find(keys)).map((row) => [keyOf(row), row]));
    return withRecords(page, ({ keyset_key: key }) => found.get(readKey(key)));
  }

  /** The first pages of several lists together; see `findFirstPages` for which lists can. */
  async firstPages(wanted: readonly Wanted[], size: number): Promise<Page<Row>[]> {
    const { listing, find, keyOf, readKey } = this.options;
    const pages = await findFirstPages(this.database, wanted.map(listing), { size });
    const keys = pages.flatMap(({ rows }) => rows.map(({ row }) => readKey(row.keyset_key)));
    const found = new Map((await find(keys)).map((row) => [keyOf(row), row]));
    return pages.map((page) => withRecords(page, ({ keyset_key: key }) => found.get(readKey(key))));
  }

  /** How many rows each of such lists has. */
  counts(wanted: readonly Wanted[]): Promise<CappedCount[]> {
    return countLists(this.database, wanted.map(this.options.listing));
  }

  /** Keys of all rows as they are now, page by page; what is deleted meanwhile does not disturb it. */
  async *keys(wanted: Wanted, size: number): AsyncGenerator<readonly Key[]> {
    const listing = this.options.listing(wanted);
    const pages = eachPage((at) =>
      findPage<{ keyset_key: unknown }>(this.database, listing, { ...at, size }),
    );
    for await (const { rows } of pages)
      if (rows.length > 0) yield rows.map(({ row }) => this.options.readKey(row.keyset_key));
  }

  /** How many there are, as far as is worth while. */
  count(wanted: Wanted, scan: ScanOptions = {}): Promise<CappedCount> {
    const listing = this.options.listing(wanted);
    return countRows(this.database, listing, { limits: LIMITS, ...scan });
  }

  /** How many there are to the last one; takes as long as it takes. */
  countAll(wanted: Wanted, signal?: AbortSignal): Promise<number> {
    return countAll(this.database, this.options.listing(wanted), signal);
  }
}

/** A page with its rows in place of their keys. One that went meanwhile is left out. */
export function withRecords<Row>(page: Page<FoundKey>, find: (key: FoundKey) => Row | undefined): Page<Row> {
  const rows = page.rows.flatMap(({ cursor, row }) => {
    const record = find(row);
    return record === undefined ? [] : [{ cursor, row: record }];
  });
  return { ...page, rows };
}

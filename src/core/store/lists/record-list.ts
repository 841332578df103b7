import type { Database } from '../db.js';
import { countRows, findPage, type Page, type PageRequest, type ScanOptions } from './keyset-page.js';
import type { ListedRow, Listing } from './keyset-walk.js';

/** How a list reads the rows whose keys it has found. */
export interface RecordListOptions<Wanted, Key, Row> {
  listing: (wanted: Wanted) => Listing | Promise<Listing>;
  /** Those that are there, in any order. */
  find: (keys: readonly Key[], wanted: Wanted) => Promise<Row[]>;
  keyOf: (row: Row) => Key;
}

/** A list for operators: pages found by keyset, their rows read by key. */
export class RecordList<Wanted, Key extends string | number, Row> {
  constructor(
    private readonly database: Database,
    private readonly options: RecordListOptions<Wanted, Key, Row>,
  ) {}

  /**
   * One page; a search that finds little ends early, and its cursor goes on. A row that went meanwhile is left out.
   * Throws 400 for a cursor of another list.
   */
  async page(wanted: Wanted, request: PageRequest, scan: ScanOptions = {}): Promise<Page<Row>> {
    const listing = await this.options.listing(wanted);
    const page = await findPage(this.database, listing, { ...request, ...scan });
    const keys = page.rows.map(({ row }) => this.#keyIn(listing, row));
    const { find, keyOf } = this.options;
    const found = new Map((await find(keys, wanted)).map((row) => [keyOf(row), row]));
    const rows = page.rows.flatMap(({ cursor, row }) => {
      const record = found.get(this.#keyIn(listing, row));
      return record === undefined ? [] : [{ cursor, row: record }];
    });
    return { ...page, rows };
  }

  /** Keys of all rows as they are now, page by page; what is deleted meanwhile does not disturb it. */
  async *keys(wanted: Wanted, size: number): AsyncGenerator<readonly Key[]> {
    const listing = await this.options.listing(wanted);
    for (let cursor: string | null = null; ;) {
      const page: Page<ListedRow> = await findPage(this.database, listing, {
        direction: 'forward',
        size,
        cursor,
      });
      if (page.rows.length > 0) yield page.rows.map(({ row }) => this.#keyIn(listing, row));
      if (!page.hasNextPage) return;
      cursor = page.endCursor;
    }
  }

  /** How many there are, as far as is worth while. */
  async count(wanted: Wanted, scan: ScanOptions = {}): Promise<number> {
    return countRows(this.database, await this.options.listing(wanted), scan);
  }

  /** How many there are to the last one; takes as long as it takes. */
  async countAll(wanted: Wanted, signal?: AbortSignal): Promise<number> {
    return countRows(this.database, await this.options.listing(wanted), { signal, isExact: true });
  }

  #keyIn({ key }: Listing, row: ListedRow): Key {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the key field holds the keys of the list
    return row[key.name] as Key;
  }
}

import type { CappedCount, Page, PageRequest } from '../../core/store/lists/keyset-page.js';
import type { EventRow } from '../../core/operators/keys/event-history.js';
import type { FetchFilter, FetchRow } from '../../core/operators/keys/fetch-history.js';
import { countKeys, findFirstKeys } from '../../core/operators/keys/key-entries.js';
import type { KeyEntry } from '../../core/operators/keys/key-entries.js';
import type { BatchLookup, GraphqlContext } from '../context.js';

/** What the first page of a list of one server is asked for with; its JSON is the key of the look-ups. */
interface Wish<Wanted> {
  wanted: Wanted;
  size: number;
}

type ReadPages<Wanted, Row> = (
  wanted: readonly Wanted[],
  size: number,
  context: GraphqlContext,
) => Promise<Page<Row>[]>;

/** First pages of the keys of servers, of attempts at them, and of what happened to their keys. */
export const firstKeys = together<string, KeyEntry>((servers, size, { services }) =>
  findFirstKeys(services.database, servers, size),
);
export const firstFetches = together<FetchFilter, FetchRow>((filters, size, { services }) =>
  services.keys.fetches.firstPages(filters, size),
);
export const firstEvents = together<string, EventRow>((servers, size, { services }) =>
  services.keys.events.firstPages(servers, size),
);

/** How long those lists are, by server name; those of attempts by the JSON of their filter. */
export const keysOfServer: BatchLookup<string, CappedCount> = (servers, { services }) =>
  countKeys(services.database, servers);
export const fetchesOfServer: BatchLookup<string, CappedCount> = (filters, { services }) =>
  services.keys.fetches.counts(filters.map((filter) => JSON.parse(filter) as FetchFilter));
export const eventsOfServer: BatchLookup<string, CappedCount> = (servers, { services }) =>
  services.keys.events.counts(servers);

/** A page of a server's list: first pages of all lists of the operation together, others by themselves. */
export async function pageOfServer<Row>(
  wanted: string | FetchFilter,
  request: PageRequest,
  {
    first,
    other,
    context,
  }: { first: BatchLookup<string, Page<Row>>; other: () => Promise<Page<Row>>; context: GraphqlContext },
): Promise<Page<Row>> {
  if (request.direction === 'backward' || request.cursor !== null) return other();
  const wish: Wish<string | FetchFilter> = { wanted, size: request.size };
  return (await context.loaders.of(first).load(JSON.stringify(wish))) ?? other();
}

/** A look-up of first pages; pages of different sizes, which aliases may ask for, take a statement for each size. */
function together<Wanted, Row>(read: ReadPages<Wanted, Row>): BatchLookup<string, Page<Row>> {
  return async (keys, context) => {
    // Only `pageOfServer` makes these keys.
    const wishes = keys.map((key) => JSON.parse(key) as Wish<Wanted>);
    const found = new Map<string, Page<Row>>();
    for (const size of new Set(wishes.map((wish) => wish.size))) {
      const wanted = wishes.filter((wish) => wish.size === size).map((wish) => wish.wanted);
      const pages = await read(wanted, size, context);
      pages.forEach((page, index) => found.set(JSON.stringify({ wanted: wanted[index], size }), page));
    }
    return keys.map((key) => found.get(key) ?? null);
  };
}

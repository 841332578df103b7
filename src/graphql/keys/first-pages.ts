import type { CappedCount, Page, PageRequest } from '../../core/store/lists/keyset-page.js';
import type { EventRow } from '../../core/operators/keys/event-history.js';
import type { FetchFilter, FetchRow } from '../../core/operators/keys/fetch-history.js';
import { countKeys, findFirstKeys } from '../../core/operators/keys/key-entries.js';
import type { KeyEntry } from '../../core/operators/keys/key-entries.js';
import type { BatchLookup, GraphqlContext } from '../context.js';

/** What the first page of a list of one server is asked for with. */
interface FirstPageRequest<Wanted> {
  wanted: Wanted;
  size: number;
}

/** The look-up of first pages, and how any other page is read. */
interface ListOfServer<Wanted, Row> {
  first: BatchLookup<FirstPageRequest<Wanted>, Page<Row>>;
  other: () => Promise<Page<Row>>;
  context: GraphqlContext;
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

/** How long those lists are. */
export const keysOfServer: BatchLookup<string, CappedCount> = (servers, { services }) =>
  countKeys(services.database, servers);
export const fetchesOfServer: BatchLookup<FetchFilter, CappedCount> = (filters, { services }) =>
  services.keys.fetches.counts(filters);
export const eventsOfServer: BatchLookup<string, CappedCount> = (servers, { services }) =>
  services.keys.events.counts(servers);

/** A page of a server's list: first pages of all lists of the operation together, others by themselves. */
export async function pageOfServer<Wanted, Row>(
  wanted: Wanted,
  request: PageRequest,
  { first, other, context }: ListOfServer<Wanted, Row>,
): Promise<Page<Row>> {
  if (request.direction === 'backward' || request.cursor !== null) return other();
  return (await context.loaders.of(first).load({ wanted, size: request.size })) ?? other();
}

/** A look-up of first pages; pages of different sizes, which aliases may ask for, take a statement for each size. */
function together<Wanted, Row>(
  read: ReadPages<Wanted, Row>,
): BatchLookup<FirstPageRequest<Wanted>, Page<Row>> {
  return async (pageRequests, context) => {
    const found = new Map<FirstPageRequest<Wanted>, Page<Row>>();
    for (const size of new Set(pageRequests.map((pageRequest) => pageRequest.size))) {
      const same = pageRequests.filter((pageRequest) => pageRequest.size === size);
      const wanted = same.map((pageRequest) => pageRequest.wanted);
      const pages = await read(wanted, size, context);
      same.forEach((pageRequest, index) => {
        const page = pages[index];
        if (page !== undefined) found.set(pageRequest, page);
      });
    }
    return pageRequests.map((pageRequest) => found.get(pageRequest) ?? null);
  };
}

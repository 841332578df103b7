import type { CappedCount, Page, PageRequest } from '../../core/store/lists/keyset-page.js';
import type { BatchLookup, GraphqlContext } from '../context.js';

/** What the first page of a list is asked for with. */
interface FirstPageRequest<Wanted> {
  wanted: Wanted;
  size: number;
}

/** The look-up of first pages, and how any other page is read. */
interface PagedList<Wanted, Row> {
  first: BatchLookup<FirstPageRequest<Wanted>, Page<Row>>;
  other: () => Promise<Page<Row>>;
  context: GraphqlContext;
}

type ReadPages<Wanted, Row> = (
  wanted: readonly Wanted[],
  size: number,
  context: GraphqlContext,
) => Promise<Page<Row>[]>;

/** A page of a list: first pages of all such lists of the operation together, others by themselves. */
export async function pageOfList<Wanted, Row>(
  wanted: Wanted,
  request: PageRequest,
  { first, other, context }: PagedList<Wanted, Row>,
): Promise<Page<Row>> {
  if (request.direction === 'backward' || request.cursor !== null) return other();
  return (await context.loaders.of(first).load({ wanted, size: request.size })) ?? other();
}

/** The length of a list, counted together with such lists of the operation when somebody asks for it. */
export function countOfList<List extends string | object>(
  lookup: BatchLookup<List, CappedCount>,
  list: List,
  { loaders }: GraphqlContext,
): () => Promise<CappedCount> {
  return async () => (await loaders.of(lookup).load(list)) ?? { count: 0, exact: true };
}

/** A look-up of first pages; pages of different sizes, which aliases may ask for, take a statement for each size. */
export function firstPagesOf<Wanted, Row>(
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

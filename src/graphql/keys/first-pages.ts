import { countKeys, findFirstKeys, type KeyEntry } from '../../core/operators/keys/key-entries.js';
import type { EventRow } from '../../core/operators/keys/event-history.js';
import type { FetchFilter, FetchRow } from '../../core/operators/keys/fetch-history.js';
import type { CappedCount } from '../../core/store/lists/keyset-page.js';
import { firstPagesOf } from '../common/first-pages.js';
import type { BatchLookup } from '../context.js';

/** First pages of the keys of servers, of attempts at them, and of what happened to their keys. */
export const firstKeys = firstPagesOf<string, KeyEntry>((servers, size, { services }) =>
  findFirstKeys(services.database, servers, size),
);
export const firstFetches = firstPagesOf<FetchFilter, FetchRow>((filters, size, { services }) =>
  services.keys.fetches.firstPages(filters, size),
);
export const firstEvents = firstPagesOf<string, EventRow>((servers, size, { services }) =>
  services.keys.events.firstPages(servers, size),
);

/** How long those lists are. */
export const keysOfServer: BatchLookup<string, CappedCount> = (servers, { services }) =>
  countKeys(services.database, servers);
export const fetchesOfServer: BatchLookup<FetchFilter, CappedCount> = (filters, { services }) =>
  services.keys.fetches.counts(filters);
export const eventsOfServer: BatchLookup<string, CappedCount> = (servers, { services }) =>
  services.keys.events.counts(servers);

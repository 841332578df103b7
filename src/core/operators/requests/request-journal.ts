import { z } from 'zod';

import { MINUTE_MS, type Clock } from '../../base/clock.js';
import { ownText } from '../../base/runtime/own-text.js';
import { hostOfUrl, isHostMeant, readHostPattern } from '../../base/text/url-host.js';

/** What a request may have done. */
export const REQUEST_EVENT_KINDS = ['key_fetch', 'key_fetch_joined', 'preview', 'failure'] as const;

/** One thing a request did, without the row it may have left. */
export type RequestEvent = z.infer<typeof requestEventSchema>;
export const requestEventSchema = z.object({
  requestId: z.string(),
  /** POSIX ms of its end. */
  ts: z.number(),
  kind: z.enum(REQUEST_EVENT_KINDS),
  /** Server name, address or the path that was asked for. */
  subject: z.string(),
  /** How it ended, such as `ok`, `memory` or a status. */
  outcome: z.string(),
  /** Why, for operators; `null` when there is nothing to say. */
  detail: z.string().nullable(),
  /** Media that was stored for it. */
  mediaId: z.string().nullable(),
});

/** Failures of requests that got no log line, and so are not kept either (log.max_request_lines). */
export type UnloggedFailures = z.infer<typeof unloggedSchema>;
const unloggedSchema = z.object({
  count: z.number(),
  /** Times of the first and the latest, POSIX ms. */
  sinceTs: z.number(),
  untilTs: z.number(),
});

/** What is known of one request. */
export type RequestStory = z.infer<typeof requestStorySchema>;
export const requestStorySchema = z.object({
  /** In the order they came. */
  events: z.array(requestEventSchema).readonly(),
  /** Nothing of it can have been forgotten. */
  isWhole: z.boolean(),
  /** May be of any request. */
  unlogged: unloggedSchema.nullable(),
});

export interface RequestJournalOptions {
  clock: Clock;
  /** Events of all requests together; setting admin.kept_request_events. 0: nothing is kept. */
  maxEvents: number;
}

/** A key query may ask for a thousand servers. */
const MAX_EVENTS_OF_ONE = 200;
const MAX_CHARACTERS = 500;
/** No request lasts so long. */
const MAX_REQUEST_MS = 10 * MINUTE_MS;

/**
 * What requests did of late, by their ids: what no row tells. Of this process, since its start; the oldest requests go
 * when there are too many events.
 */
export class RequestJournal {
  readonly #events = new Map<string, RequestEvent[]>();
  /** Goes on where it is: one that begins anew passes the places of thousands that are gone, 7 µs of 10 for each event. */
  readonly #oldest = this.#events.keys();
  /** Of those that were looked through. */
  readonly #hosts = new WeakMap<RequestEvent, string>();
  #count = 0;
  /** No event that is kept is older; `null`: there was none. */
  #oldestTs: number | null = null;
  #hasForgotten = false;
  #unlogged: UnloggedFailures | null = null;

  constructor(private readonly options: RequestJournalOptions) {}

  get maxEvents(): number {
    return this.options.maxEvents;
  }

  /** Adds to what a request did. What nobody asked for has no id, and is not kept. */
  note(
    requestId: string | undefined,
    {
      subject,
      detail = null,
      mediaId = null,
      ...event
    }: Pick<RequestEvent, 'kind' | 'subject' | 'outcome'> & Partial<Pick<RequestEvent, 'detail' | 'mediaId'>>,
  ): void {
    const { clock, maxEvents } = this.options;
    if (requestId === undefined || maxEvents === 0) return;
    const events = this.#events.get(requestId) ?? [];
    if (events.length >= MAX_EVENTS_OF_ONE) return;
    this.#events.set(requestId, events);
    this.#oldestTs ??= clock.now();
    const cut = (text: string): string => ownText(text.slice(0, MAX_CHARACTERS));
    const shown = { subject: cut(subject), detail: detail === null ? null : cut(detail) };
    events.push({ requestId, ts: clock.now(), ...event, ...shown, mediaId });
    this.#count += 1;
    this.#forgetOldest(maxEvents);
  }

  /** Counts the failure of a request that gets no log line: whoever floods the log would flood this, too. */
  noteUnlogged(): void {
    const untilTs = this.options.clock.now();
    const isOver = (this.#unlogged?.untilTs ?? untilTs) < (this.#oldestTs ?? 0) - MAX_REQUEST_MS;
    const { count, sinceTs } = (isOver ? null : this.#unlogged) ?? { count: 0, sinceTs: untilTs };
    this.#unlogged = { count: count + 1, sinceTs, untilTs };
  }

  find(requestId: string): RequestStory {
    const events = this.#events.get(requestId) ?? [];
    const isKept = events.length < MAX_EVENTS_OF_ONE && (events.length > 0 || !this.#hasForgotten);
    const unlogged = mayBeOf(events, this.#unlogged) ? this.#unlogged : null;
    return { events, isWhole: isKept && unlogged === null, unlogged };
  }

  /** The latest previews of hosts, as `readHostPattern`, that requests asked for; the newest request first. */
  latestPreviews(host: string, limit: number): RequestEvent[] {
    const hosts = readHostPattern(host);
    const isMeant = (event: RequestEvent): boolean =>
      event.kind === 'preview' && isHostMeant(hosts, this.#hostOf(event));
    const found: RequestEvent[] = [];
    for (const events of [...this.#events.values()].toReversed()) {
      found.push(...events.filter(isMeant));
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  #forgetOldest(maxEvents: number): void {
    while (this.#count > maxEvents) {
      const { done, value: requestId = '' } = this.#oldest.next();
      if (done === true) return;
      const events = this.#events.get(requestId) ?? [];
      this.#count -= events.length;
      this.#events.delete(requestId);
      this.#oldestTs = events[0]?.ts ?? this.#oldestTs;
      this.#hasForgotten = true;
    }
  }

  #hostOf(event: RequestEvent): string {
    const host = this.#hosts.get(event) ?? hostOfUrl(event.subject);
    this.#hosts.set(event, host);
    return host;
  }
}

/** Whether one of the failures can have been of a request that did this. */
function mayBeOf(events: readonly RequestEvent[], failures: UnloggedFailures | null): boolean {
  const [first] = events;
  if (failures === null || first === undefined) return failures !== null;
  const lastTs = events.at(-1)?.ts ?? first.ts;
  return failures.sinceTs <= lastTs + MAX_REQUEST_MS && failures.untilTs >= first.ts - MAX_REQUEST_MS;
}

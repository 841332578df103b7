import { onAbort } from './deadline.js';
import { ApiError } from './errors/api-error.js';

/** Who work is done for: `ip:192.0.2.1`, `ip:2001:db8::/64`, `user:@a:b`. Slots are shared out among clients. */
export type Client = string;

/** A user who is signed in. */
export const userClient = (userId: string): Client => `user:${userId}`;

export interface FairQueueOptions {
  maxRunning: number;
  /** For one destination, all clients together; the last slot is for clients that hold none there. */
  maxRunningPerGroup?: number;
  maxWaiting: number;
  /** Longest wait; unlimited when absent. */
  maxWaitMs?: number;
  /** The error of `run` for a request that is dropped. */
  refused?: (detail: string) => Error;
  /** Further condition for starting work of a client, such as free memory. Call `admit` when it may hold again. */
  mayStart?: (client: Client) => boolean;
  /** Called for each request that does not start at once, and for each that is dropped (`waiting`). */
  onLimit?: ((limit: QueueLimit, request: QueueRequest) => void) | undefined;
}

/** The limit that makes a request wait, or drops it (`waiting`). */
export type QueueLimit = 'total' | 'client' | 'group' | 'waiting';

/** Who asks for a slot, and for what. */
export interface QueueRequest {
  /** All work without a client counts as that of one, for which no slots are reserved. */
  client: Client | undefined;
  /** Destination, such as a host; empty or absent: it has none. */
  group?: string;
}

export interface QueueLoad {
  running: number;
  waiting: number;
}

/** A slot, or a wait for one. */
export interface QueueTicket {
  /** Resolves to `true` with the slot, to `false` when the request was dropped or has left. Never rejects. */
  readonly admitted: Promise<boolean>;
  readonly isRunning: () => boolean;
  /** Another client waits for the same work, which then starts when either of them is next. */
  readonly join: (client: Client) => void;
  /** Gives the slot back, or stops waiting. */
  readonly leave: () => void;
}

interface Entry {
  readonly group: string;
  /** All clients that wait for it. */
  readonly clients: Set<Client>;
  /** Ends the wait when it takes too long. */
  timer?: NodeJS.Timeout;
  state: 'waiting' | 'running' | 'over';
  /** The client whose slot it holds. */
  holder: Client;
  resolve: (isAdmitted: boolean) => void;
}

const NOBODY: Client = '';
/** Running work cannot be cancelled: this part of all slots is reserved for clients that hold few. */
const RESERVED = 1 / 2;
/** Each client may take this part of the free slots once only reserved ones are left. */
const RESERVED_SHARE = 1 / 4;

/**
 * At most `maxRunning` requests run. The next one is the oldest of the client that holds the fewest slots. A full queue
 * drops the newest of the client that has the most waiting.
 */
export class FairQueue {
  readonly #all = new Set<Entry>();
  /** What waits, by client in order of arrival. The client served last comes last. */
  readonly #waiting = new Map<Client, Set<Entry>>();
  /** Slots by client, by group, and by group and client. */
  readonly #heldByClient = new Map<Client, number>();
  readonly #heldThere = new Map<string, number>();
  #running = 0;

  constructor(private readonly options: FairQueueOptions) {}

  get load(): QueueLoad {
    return { running: this.#running, waiting: this.#all.size };
  }

  waitingOf(client: Client): number {
    return this.#waiting.get(client)?.size ?? 0;
  }

  enter(request: QueueRequest): QueueTicket {
    const { client = NOBODY, group = '' } = request;
    const { maxWaitMs, onLimit } = this.options;
    const entry: Entry = { group, clients: new Set(), state: 'waiting', holder: client, resolve: () => {} };
    const admitted = new Promise<boolean>((resolve) => (entry.resolve = resolve));
    this.#all.add(entry);
    this.#join(entry, client);
    if (entry.state === 'waiting') {
      onLimit?.(this.#limitOf(entry, client) ?? 'total', request);
      if (maxWaitMs !== undefined) entry.timer = setTimeout(() => this.#leave(entry), maxWaitMs);
      if (this.#all.size > this.options.maxWaiting) {
        onLimit?.('waiting', request);
        this.#dropOne(client);
      }
    }
    return {
      admitted,
      isRunning: () => entry.state === 'running',
      join: (other) => this.#join(entry, other),
      leave: () => this.#leave(entry),
    };
  }

  /** Does work in a slot. Throws the error of the options when it is dropped, or an error that is the reason of the signal. */
  async run<T>(request: QueueRequest, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.slot(request, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Waits for a slot as `run` does; call the returned function to give it back. */
  async slot(request: QueueRequest, signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted === true) throw this.#refusal(signal);
    const ticket = this.enter(request);
    const giveUp = (): void => (ticket.isRunning() ? undefined : ticket.leave());
    const unlink = signal === undefined ? undefined : onAbort(signal, giveUp);
    const isAdmitted = await ticket.admitted;
    unlink?.();
    if (!isAdmitted) throw this.#refusal(signal);
    return ticket.leave;
  }

  /** Starts whatever may start now. */
  admit(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) this.#start(next.entry, next.client);
  }

  close(): void {
    for (const entry of this.#all) this.#leave(entry);
  }

  #refusal(signal?: AbortSignal): Error {
    const reason: unknown = signal?.reason;
    if (reason instanceof Error && reason.name !== 'AbortError') return reason;
    const { running, waiting } = this.load;
    return this.options.refused?.(`${running} run, ${waiting} wait`) ?? new Error('the queue is full');
  }

  #join(entry: Entry, client: Client): void {
    if (entry.state !== 'waiting' || entry.clients.has(client)) return;
    entry.clients.add(client);
    // Nothing else that waits may start, or it would have started before.
    if (this.#limitOf(entry, client) === null) this.#start(entry, client);
    else this.#waiting.set(client, (this.#waiting.get(client) ?? new Set()).add(entry));
  }

  #next(): { entry: Entry; client: Client } | null {
    let next: { entry: Entry; client: Client } | null = null;
    let fewest = Infinity;
    for (const [client, entries] of this.#waiting) {
      const held = this.#heldByClient.get(client) ?? 0;
      if (held >= fewest) continue;
      for (const entry of entries) {
        const limit = this.#limitOf(entry, client);
        if (limit === 'group') continue;
        if (limit === null) [next, fewest] = [{ entry, client }, held];
        break;
      }
      if (fewest === 0) break;
    }
    return next;
  }

  /** What keeps a request from starting for a client; `null`: nothing. */
  #limitOf({ group }: Entry, client: Client): QueueLimit | null {
    const { maxRunning, maxRunningPerGroup = Infinity, mayStart } = this.options;
    const free = maxRunning - this.#running;
    if (free <= 0) return 'total';
    const isReserved = client !== NOBODY && free <= Math.floor(maxRunning * RESERVED);
    const held = this.#heldByClient.get(client) ?? 0;
    if ((isReserved && held >= RESERVED_SHARE * free) || mayStart?.(client) === false) return 'client';
    const isThere = this.#heldThere.has(`${group} ${client}`);
    const slots = isThere ? Math.max(1, maxRunningPerGroup - 1) : maxRunningPerGroup;
    return group !== '' && (this.#heldThere.get(group) ?? 0) >= slots ? 'group' : null;
  }

  #start(entry: Entry, client: Client): void {
    this.#forget(entry);
    const others = this.#waiting.get(client);
    if (others !== undefined) {
      this.#waiting.delete(client);
      this.#waiting.set(client, others);
    }
    entry.state = 'running';
    entry.holder = client;
    this.#count(entry, 1);
    entry.resolve(true);
  }

  #leave(entry: Entry): void {
    const { state } = entry;
    entry.state = 'over';
    if (state === 'waiting') {
      this.#forget(entry);
      entry.resolve(false);
    } else if (state === 'running') {
      this.#count(entry, -1);
      this.admit();
    }
  }

  /** Takes an entry out of all that wait. */
  #forget(entry: Entry): void {
    this.#all.delete(entry);
    clearTimeout(entry.timer);
    for (const client of entry.clients) {
      const own = this.#waiting.get(client);
      own?.delete(entry);
      if (own?.size === 0) this.#waiting.delete(client);
    }
  }

  #count({ group, holder }: Entry, by: number): void {
    this.#running += by;
    addCount(this.#heldByClient, holder, by);
    if (group === '') return;
    addCount(this.#heldThere, group, by);
    addCount(this.#heldThere, `${group} ${holder}`, by);
  }

  /** The newest of the client with the most, on a tie the newcomer's; work that several clients wait for comes last. */
  #dropOne(newcomer: Client): void {
    let most = this.#waiting.get(newcomer) ?? new Set<Entry>();
    for (const own of this.#waiting.values()) if (own.size > most.size) most = own;
    const entries = [...most];
    const loser = entries.findLast(({ clients }) => clients.size === 1) ?? entries.at(-1);
    if (loser !== undefined) this.#leave(loser);
  }
}

/** Adds to one of many counts, which are held only while they are not 0. */
export function addCount(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}

/** A queue for expensive work, a few pieces at a time. `run` rejects with 503 `overloaded` when too many wait already. */
export function workQueue(options: Omit<FairQueueOptions, 'refused'>): FairQueue {
  const message = 'Too many pages and images are being processed at the moment';
  return new FairQueue({
    ...options,
    refused: (detail) => new ApiError(503, message, { reason: 'overloaded', detail, retryAfterSeconds: 5 }),
  });
}

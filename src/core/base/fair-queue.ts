import type { Client } from './client.js';
import { onAbort } from './deadline.js';

/** How much of a queue may run and wait. */
export interface FairQueueLimits {
  maxRunning: number;
  /** Slots among `maxRunning` for clients that hold few: each may take a quarter of the free ones. 0 when absent. */
  reserved?: number;
  maxRunningPerClient?: number;
  /** For one destination, all clients together. */
  maxRunningPerGroup?: number;
  /** Further slots of a destination for clients that hold none there. */
  reservedPerGroup?: number;
  maxWaiting: number;
  maxWaitingPerClient?: number;
}

export interface FairQueueOptions extends FairQueueLimits {
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
  /** All work without a client counts as that of one. */
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
  readonly request: QueueRequest;
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
  readonly #heldByClient = new Map<Client, number>();
  /** By group, and by group and client. */
  readonly #heldThere = new Map<string, number>();
  #running = 0;

  constructor(private readonly options: FairQueueOptions) {}

  get load(): QueueLoad {
    return { running: this.#running, waiting: this.#all.size };
  }

  heldBy(client: Client): number {
    return this.#heldByClient.get(client) ?? 0;
  }

  waitingOf(client: Client): number {
    return this.#waiting.get(client)?.size ?? 0;
  }

  enter(request: QueueRequest): QueueTicket {
    const { client = NOBODY } = request;
    const entry: Entry = {
      request,
      clients: new Set(),
      state: 'waiting',
      holder: client,
      resolve: () => {},
    };
    const admitted = new Promise<boolean>((resolve) => (entry.resolve = resolve));
    this.#all.add(entry);
    this.#join(entry, client);
    if (entry.state === 'waiting') {
      this.options.onLimit?.(this.#limitOf(entry, client) ?? 'total', request);
      const { maxWaitMs } = this.options;
      if (maxWaitMs !== undefined) entry.timer = setTimeout(() => this.#leave(entry), maxWaitMs);
      this.#dropSurplus(request);
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
    while (this.#running < this.options.maxRunning) {
      const next = this.#next();
      if (next === null) return;
      this.#start(next.entry, next.client);
    }
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
      const held = this.heldBy(client);
      if (held >= fewest || !this.#mayHoldMore(client)) continue;
      for (const entry of entries) {
        if (!this.#hasRoom(entry.request, client)) continue;
        next = { entry, client };
        fewest = held;
        break;
      }
      if (fewest === 0) break;
    }
    return next;
  }

  /** What keeps a request from starting for a client; `null`: nothing. */
  #limitOf({ request }: Entry, client: Client): QueueLimit | null {
    if (this.#running >= this.options.maxRunning) return 'total';
    if (!this.#mayHoldMore(client)) return 'client';
    return this.#hasRoom(request, client) ? null : 'group';
  }

  #mayHoldMore(client: Client): boolean {
    const { maxRunning, reserved = 0, maxRunningPerClient = Infinity, mayStart } = this.options;
    const held = this.heldBy(client);
    if (held >= maxRunningPerClient || mayStart?.(client) === false) return false;
    const free = maxRunning - this.#running;
    return free > reserved || held < RESERVED_SHARE * free;
  }

  #hasRoom({ group = '' }: QueueRequest, client: Client): boolean {
    const { maxRunningPerGroup = Infinity, reservedPerGroup = 0 } = this.options;
    if (group === '') return true;
    const reserved = this.#heldThere.has(`${group} ${client}`) ? 0 : reservedPerGroup;
    return (this.#heldThere.get(group) ?? 0) < maxRunningPerGroup + reserved;
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

  #count({ request: { group = '' }, holder }: Entry, by: number): void {
    this.#running += by;
    addCount(this.#heldByClient, holder, by);
    if (group === '') return;
    addCount(this.#heldThere, group, by);
    addCount(this.#heldThere, `${group} ${holder}`, by);
  }

  /** Drops one request when the newcomer is one too many; work that several clients wait for comes last. */
  #dropSurplus(request: QueueRequest): void {
    const { maxWaiting, maxWaitingPerClient = Infinity, onLimit } = this.options;
    const { client = NOBODY } = request;
    const isClientFull = this.waitingOf(client) > maxWaitingPerClient;
    if (!isClientFull && this.#all.size <= maxWaiting) return;
    onLimit?.('waiting', request);
    let most = this.#waiting.get(client) ?? new Set<Entry>();
    if (!isClientFull) for (const own of this.#waiting.values()) if (own.size >= most.size) most = own;
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

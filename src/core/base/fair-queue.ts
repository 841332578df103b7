import { addCount } from './add-count.js';
import { onAbort } from './deadline.js';
import type { Client } from './client.js';
import { WaitingLists } from './waiting-lists.js';

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
  mayStart?: (client: string) => boolean;
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
  /** All clients that wait for it, by key. */
  readonly clients: Map<string, Client>;
  /** Ends the wait when it takes too long. */
  timer?: NodeJS.Timeout;
  /** What ends being told of clients that join. */
  readonly unlinks: (() => unknown)[];
  state: 'waiting' | 'running' | 'over';
  /** The client whose slot it holds. */
  holder: Client;
  resolve: (isAdmitted: boolean) => void;
}

const NOBODY: Client = { key: '', question: '' };

/** Each client may take this part of the free slots once only reserved ones are left. */
const RESERVED_SHARE = 1 / 4;

/**
 * At most `maxRunning` requests run. The next one is of the client that holds the fewest slots, and of its requests of
 * the one that holds the fewest. A full queue drops the newest of the client that has the most waiting.
 */
export class FairQueue {
  readonly #waiting = new WaitingLists<Entry>();
  readonly #all = new Set<Entry>();
  readonly #heldByClient = new Map<string, number>();
  readonly #heldByRequest = new Map<string, number>();
  readonly #heldByGroup = new Map<string, number>();
  readonly #heldThere = new Map<string, number>();
  #running = 0;

  constructor(private readonly options: FairQueueOptions) {}

  get load(): QueueLoad {
    return { running: this.#running, waiting: this.#all.size };
  }

  heldBy(client: string): number {
    return this.#heldByClient.get(client) ?? 0;
  }

  waitingOf(client: string): number {
    return this.#waiting.sizeOf(client);
  }

  enter(request: QueueRequest): QueueTicket {
    const { client = NOBODY } = request;
    const entry: Entry = {
      request,
      clients: new Map(),
      unlinks: [],
      state: 'waiting',
      holder: client,
      resolve: () => {},
    };
    const admitted = new Promise<boolean>((resolve) => (entry.resolve = resolve));
    this.#all.add(entry);
    this.#join(entry, client);
    if (entry.state === 'waiting') {
      this.options.onLimit?.(this.#limitOf(entry, client.key) ?? 'total', request);
      this.#dropSurplus(request);
      this.#boundWait(entry);
    }
    return {
      admitted,
      isRunning: () => entry.state === 'running',
      join: (client) => this.#join(entry, client),
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

  #boundWait(entry: Entry): void {
    const { maxWaitMs } = this.options;
    if (maxWaitMs === undefined || entry.state !== 'waiting') return;
    entry.timer = setTimeout(() => this.#leave(entry), maxWaitMs);
  }

  #join(entry: Entry, client: Client): void {
    this.#add(entry, client);
    const unlink = client.onJoined?.((other) => this.#add(entry, other));
    if (unlink === undefined) return;
    if (entry.state === 'waiting') entry.unlinks.push(unlink);
    else unlink();
  }

  #add(entry: Entry, client: Client): void {
    if (entry.state !== 'waiting' || entry.clients.has(client.key)) return;
    entry.clients.set(client.key, client);
    // Nothing else that waits may start, or it would have started before.
    if (this.#limitOf(entry, client.key) === null) {
      this.#start(entry, client.key);
      return;
    }
    this.#waiting.add(client.key, entry);
  }

  /** The client that holds the fewest slots among those with a request that may start. */
  #next(): { entry: Entry; client: string } | null {
    let next: { entry: Entry; client: string } | null = null;
    let fewest = Infinity;
    for (const [client, entries] of this.#waiting) {
      const held = this.heldBy(client);
      if (held >= fewest || !this.#mayHoldMore(client)) continue;
      const entry = this.#nextOf(client, entries);
      if (entry === null) continue;
      next = { entry, client };
      fewest = held;
      if (held === 0) break;
    }
    return next;
  }

  #nextOf(client: string, entries: ReadonlySet<Entry>): Entry | null {
    let next: Entry | null = null;
    let fewest = Infinity;
    for (const entry of entries) {
      const held = this.#heldByRequest.get(requestKey(entry.clients.get(client))) ?? 0;
      if (held >= fewest || !this.#hasRoom(entry.request, client)) continue;
      next = entry;
      fewest = held;
      if (held === 0) break;
    }
    return next;
  }

  /** What keeps a request from starting for a client; `null`: nothing. */
  #limitOf({ request }: Entry, client: string): QueueLimit | null {
    if (this.#running >= this.options.maxRunning) return 'total';
    if (!this.#mayHoldMore(client)) return 'client';
    return this.#hasRoom(request, client) ? null : 'group';
  }

  #mayHoldMore(client: string): boolean {
    const { maxRunning, reserved = 0, maxRunningPerClient = Infinity, mayStart } = this.options;
    const held = this.heldBy(client);
    if (held >= maxRunningPerClient || mayStart?.(client) === false) return false;
    const free = maxRunning - this.#running;
    return free > reserved || held < RESERVED_SHARE * free;
  }

  #hasRoom({ group = '' }: QueueRequest, client: string): boolean {
    const { maxRunningPerGroup = Infinity, reservedPerGroup = 0 } = this.options;
    if (group === '') return true;
    const reserved = this.#heldThere.has(`${group} ${client}`) ? 0 : reservedPerGroup;
    return (this.#heldByGroup.get(group) ?? 0) < maxRunningPerGroup + reserved;
  }

  #start(entry: Entry, client: string): void {
    this.#forget(entry);
    this.#waiting.moveBack(client);
    entry.state = 'running';
    entry.holder = entry.clients.get(client) ?? entry.holder;
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
    for (const unlink of entry.unlinks) unlink();
    for (const client of entry.clients.keys()) this.#waiting.remove(client, entry);
  }

  #count({ request, holder }: Entry, by: number): void {
    this.#running += by;
    addCount(this.#heldByClient, holder.key, by);
    addCount(this.#heldByRequest, requestKey(holder), by);
    if (request.group === undefined || request.group === '') return;
    addCount(this.#heldByGroup, request.group, by);
    addCount(this.#heldThere, `${request.group} ${holder.key}`, by);
  }

  /** Drops one request when the newcomer is one too many. */
  #dropSurplus(request: QueueRequest): void {
    const { maxWaiting, maxWaitingPerClient = Infinity, onLimit } = this.options;
    const { key } = request.client ?? NOBODY;
    const isClientFull = this.waitingOf(key) > maxWaitingPerClient;
    if (!isClientFull && this.#all.size <= maxWaiting) return;
    onLimit?.('waiting', request);
    const loser = this.#waiting.newestOf(isClientFull ? key : this.#waiting.largest);
    if (loser !== undefined) this.#leave(loser);
  }
}

const requestKey = ({ key, question }: Client = NOBODY): string => `${key} ${question}`;

import { addCount } from '../add-count.js';
import type { Asker } from './asker.js';
import { greediestOf } from './greediest.js';
import { newestOf, type Level, type PlaceRequest, type PlaceTicket, type Rank } from './place-ticket.js';
import { Turns } from './turns.js';
import { newWaiter, type Waiter } from './waiter.js';

/** Places held, and requests that wait for one. */
export interface PlaceLoad {
  running: number;
  waiting: number;
}

/** What places are given by. */
export interface PlaceRules<About extends string = string> {
  total: number;
  /** The levels below the question: a host, a domain. */
  about: readonly About[];
  /** What stands for the question of whoever asks; absent: that itself. */
  questionOf?: (about: readonly string[]) => string;
  /** Whether one more may run below a path that ends at this level. Asked at each level, from the asker on. */
  mayGo: (level: Level<About>, path: readonly string[], rank: Rank) => boolean;
  /** Starts in one turn of the event loop, so that everything else has its turn between; no bound when absent. */
  startsPerTurn?: number;
  /** Told of each request that a bound keeps waiting, as soon as the starts of a turn have not all been taken. */
  onHeld?: (request: PlaceRequest, bound: Level<About> | 'total') => void;
}

/**
 * Parts of paths looked at in one turn of the event loop, a third of a millisecond: somebody may have thousands wait that
 * all have to be looked at in vain.
 */
const LOOKS_PER_TURN = 500;

const RANKS: readonly Rank[] = [0, 1, 2];

/**
 * Places taken by turns: by asker, then by their questions, then by what these are about; in order of arrival below one
 * path. Rules say who may have one more.
 */
export class Places<About extends string = string> {
  readonly #levels: readonly Level<About>[];
  readonly #turns = { 0: new Turns<Waiter>(), 1: new Turns<Waiter>(), 2: new Turns<Waiter>() };
  /** How many run, by each part of their path: a question by its asker too, all else by itself. */
  readonly #held: Map<string, number>[] = [];
  /** In order of arrival. */
  readonly #waiting = new Map<Waiter, PlaceTicket<About>>();
  readonly #waitingOf = new Map<string, number>();
  readonly #questionsOf = new Map<string, Map<string, number>>();
  /** Of whom it is not known whether they wait for more than the next turn. */
  #undecided: Waiter[] = [];
  #running = 0;
  #startsLeft: number;
  #looksLeft = LOOKS_PER_TURN;
  #isRefilling = false;
  /** The search that goes on in the next turn; who comes meanwhile is found by one after it. */
  #search: Generator<void, void> | null = null;
  #isDue = false;

  constructor(private readonly rules: PlaceRules<About>) {
    this.#levels = ['asker', 'question', ...rules.about];
    this.#startsLeft = rules.startsPerTurn ?? Infinity;
  }

  get load(): PlaceLoad {
    return { running: this.#running, waiting: this.#waiting.size };
  }

  /** In order of arrival. */
  get waiting(): PlaceTicket<About>[] {
    return [...this.#waiting.values()];
  }

  /** How many wait on behalf of one asker; those who joined are not counted. */
  waitingOf(asker: string): number {
    return this.#waitingOf.get(asker) ?? 0;
  }

  /**
   * Gives up what was added last by whoever waits for the most, if that is more than twice what the newcomer would then
   * wait for; else of the question of his own of which that holds. Returns whether it did. What others wait for, too,
   * goes last.
   */
  makeRoomFor({ key, question }: Asker): boolean {
    const greediest = greediestOf(this.#waitingOf, this.waitingOf(key));
    const own = this.#questionsOf.get(key) ?? new Map<string, number>();
    const asked = greediest === null ? greediestOf(own, own.get(question) ?? 0) : null;
    if (greediest === null && asked === null) return false;
    const isMeant = ({ request: { asker } }: PlaceTicket<About>): boolean =>
      asked === null ? asker.key === greediest : asker.key === key && asker.question === asked;
    const loser = newestOf(this.waiting.filter(isMeant));
    loser?.giveUp();
    return loser !== undefined;
  }

  /** How many run below the last part of a path. */
  held(path: readonly string[]): number {
    const at = path.length - 1;
    return this.#held[at]?.get(path[at] ?? '') ?? 0;
  }

  /** Whether the last part of a path holds less than it may, and less than is free: there is always room for another. */
  hasShare(path: readonly string[], most = Infinity): boolean {
    return this.held(path) < Math.min(most, this.rules.total - this.#running);
  }

  /** Asks for a place. */
  enter(request: PlaceRequest): PlaceTicket<About> {
    const waiter = newWaiter(request);
    const ticket: PlaceTicket<About> = {
      request,
      admitted: new Promise<boolean>((resolve) => {
        waiter.settle = resolve;
      }),
      hasPlace: () => waiter.state === 'running',
      isShared: () => waiter.paths.size > 1,
      waitsFor: () => this.#waitsFor(waiter),
      join: (asker) => this.#join(waiter, asker),
      giveUp: () => {
        if (waiter.state === 'waiting') this.#leave(waiter);
      },
      leave: () => this.#leave(waiter),
    };
    this.#waiting.set(waiter, ticket);
    this.#countWaiting(request.asker, 1);
    this.#join(waiter, request.asker);
    if (this.rules.onHeld !== undefined && waiter.state === 'waiting') this.#undecided.push(waiter);
    this.#tellHeld();
    return ticket;
  }

  /** Gives places to whoever may have one; to be called when the rules allow more than before. */
  admit(): void {
    this.#isDue = true;
    if (this.#search === null) this.#goOn();
  }

  /** Gives up all that wait. */
  close(): void {
    for (const ticket of this.waiting) ticket.leave();
  }

  #join(waiter: Waiter, asker: Asker): void {
    this.#addPath(waiter, asker);
    const unlink = asker.eachOther?.((other) => this.#addPath(waiter, other)) ?? noop;
    if (waiter.state === 'waiting') waiter.unlink.push(unlink);
    else unlink();
  }

  /** The function returned takes the path back, unless the asker has come in another way, too. */
  #addPath(waiter: Waiter, asker: Asker): () => void {
    if (waiter.state !== 'waiting') return noop;
    addCount(waiter.joined, asker.key, 1);
    if (!waiter.paths.has(asker.key)) this.#queue(waiter, asker);
    return () => {
      if (waiter.state !== 'waiting') return;
      addCount(waiter.joined, asker.key, -1);
      if (waiter.joined.has(asker.key)) return;
      this.#turns[waiter.rank].remove(waiter.paths.get(asker.key) ?? [], waiter);
      waiter.paths.delete(asker.key);
    };
  }

  #queue(waiter: Waiter, { key, question: asked }: Asker): void {
    const question = this.rules.questionOf?.(waiter.about) ?? asked;
    const path = [key, `${key} ${question}`, ...waiter.about];
    waiter.paths.set(key, path);
    this.#turns[waiter.rank].add(path, waiter);
    // All others have been looked at in vain, unless a search is due or not at its end.
    if (this.#search !== null) this.#isDue = true;
    else if (!this.#isDue && this.#hasStarts && this.#boundOf(path, waiter.rank) === null)
      this.#start(waiter, path);
  }

  /** Searches on until nobody may go, or so much has been looked at in this turn of the event loop. */
  #goOn(): void {
    for (; this.#looksLeft > 0; this.#looksLeft -= 1) {
      if (this.#search === null) {
        if (!this.#isDue) return;
        this.#isDue = false;
        this.#search = this.#startAll();
      }
      if (this.#search.next().done === true) this.#search = null;
    }
    this.#refill();
  }

  *#startAll(): Generator<void, void> {
    for (const rank of RANKS) {
      while (this.#hasStarts) {
        const taken = yield* this.#turns[rank].take((path) => this.#mayGo(path, rank));
        if (taken === null) break;
        this.#start(taken.item, taken.path);
      }
    }
  }

  get #hasStarts(): boolean {
    return this.#startsLeft > 0 && this.#running < this.rules.total;
  }

  #start(waiter: Waiter, path: readonly string[]): void {
    this.#unqueue(waiter);
    waiter.holder = path;
    waiter.state = 'running';
    this.#count(waiter, 1);
    this.#startsLeft -= 1;
    if (this.rules.startsPerTurn !== undefined) this.#refill();
    waiter.settle(true);
  }

  #leave(waiter: Waiter): void {
    const { state } = waiter;
    waiter.state = 'over';
    if (state === 'waiting') {
      this.#unqueue(waiter);
      waiter.settle(false);
    } else if (state === 'running') {
      this.#count(waiter, -1);
      this.admit();
    }
  }

  #unqueue(waiter: Waiter): void {
    for (const unlink of waiter.unlink) unlink();
    for (const path of waiter.paths.values()) this.#turns[waiter.rank].remove(path, waiter);
    this.#waiting.delete(waiter);
    this.#countWaiting(waiter.asker, -1);
  }

  #countWaiting({ key, question }: Asker, by: number): void {
    addCount(this.#waitingOf, key, by);
    const questions = this.#questionsOf.get(key) ?? new Map<string, number>();
    addCount(questions, question, by);
    if (questions.size === 0) this.#questionsOf.delete(key);
    else this.#questionsOf.set(key, questions);
  }

  #count({ holder }: Waiter, by: number): void {
    this.#running += by;
    for (const [at, part] of holder.entries()) addCount((this.#held[at] ??= new Map()), part, by);
  }

  #waitsFor({ state, paths, rank }: Waiter): Level<About> | 'total' | null {
    // Without starts left in this turn of the event loop it merely waits for the next one.
    if (state !== 'waiting' || this.#startsLeft === 0) return null;
    if (this.#running >= this.rules.total) return 'total';
    const [path = []] = paths.values();
    return this.#boundOf(path, rank);
  }

  #boundOf(path: readonly string[], rank: Rank): Level<About> | null {
    return this.#levels.find((_level, at) => !this.#mayGo(path.slice(0, at + 1), rank)) ?? null;
  }

  #mayGo(path: readonly string[], rank: Rank): boolean {
    const level = this.#levels[path.length - 1];
    return level === undefined || this.rules.mayGo(level, path, rank);
  }

  /** In the next turn of the event loop. */
  #refill(): void {
    if (this.#isRefilling) return;
    this.#isRefilling = true;
    setImmediate(() => {
      this.#isRefilling = false;
      if (this.#startsLeft === 0) this.#isDue = true;
      this.#startsLeft = this.rules.startsPerTurn ?? Infinity;
      this.#looksLeft = LOOKS_PER_TURN;
      this.#goOn();
      this.#tellHeld();
    });
  }

  #tellHeld(): void {
    if (this.#startsLeft === 0 || this.#undecided.length === 0) return;
    for (const waiter of this.#undecided) {
      const bound = this.#waitsFor(waiter);
      if (bound !== null) this.rules.onHeld?.(waiter, bound);
    }
    this.#undecided = [];
  }
}

function noop(): void {}

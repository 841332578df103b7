import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import type { Ledger } from './ledger.js';
import { excuses, type Failure, type Outage } from './outage.js';
import type { SoakWorld } from './world.js';

const ANSWER_LIMIT_MS = 60_000;
const PAUSE_MS = 20;
const LONG_PAUSE_MS = 200;
const MAX_TOLD_BYTES = 200;
const MAX_NAMES = 1200;
/** Asked for again and again, so that rows and files of previews have a bound. */
const MAX_PAGES = 250;
const LISTS = `{ servers(first: 25) { nodes { name } } previews(first: 25) { nodes { id } }
  overview { __typename } jobs { name } keyEvents(first: 25) { nodes { id } } media(first: 25) { nodes { id } } }`;

interface Question {
  kind: string;
  /** Or a URL. */
  path: string;
  init?: RequestInit;
  /** Of an origin that is to fail. */
  expected?: number;
}

interface Answer extends Failure {
  /** `null`: there is none. */
  body: Buffer | null;
  /** In words. */
  what: string;
}

/** Clients of all kinds that ask, each again as soon as it has its answer. */
export class Load {
  /** Questions that were asked and answered while nothing was wrong. */
  calm = 0;
  #isOver = false;
  #leaving = new AbortController();
  #running: Promise<void>[] = [];
  #outage: Outage | null = null;
  #outageUntilMs = 0;
  readonly #names: string[] = [];
  readonly #pages: string[] = [];

  constructor(
    private readonly world: SoakWorld,
    private readonly ledger: Ledger,
    private readonly recoveryMs: number,
  ) {}

  start(): void {
    const clients = [
      ...Array.from({ length: 3 }, () => () => this.#knownKey()),
      () => this.#newKey(),
      ...Array.from({ length: 2 }, () => () => this.#newPreview()),
      ...Array.from({ length: 2 }, () => () => this.#knownPreview()),
      () => this.#image(),
      () => this.#operator(),
      () => this.#silent('silent server', () => this.world.keys.blackHole),
      () => this.#silent('silent name server', () => this.#one(this.world.keys.silentNames) ?? ''),
      () => this.#stalledPage(),
    ];
    this.#running = clients.map(async (ask) => {
      while (!this.#isOver) {
        await ask();
        await pause(PAUSE_MS);
      }
    });
  }

  /** Resolves when a record and a preview were answered. */
  async begun(): Promise<void> {
    const limitMs = performance.now() + ANSWER_LIMIT_MS;
    while (this.ledger.answered('key').length === 0 || this.ledger.answered('preview').length === 0) {
      if (performance.now() > limitMs)
        throw new Error(`nothing is answered: ${this.ledger.wrong.join('; ')}`);
      await pause(LONG_PAUSE_MS);
    }
  }

  /** What is under way is left; nobody learns what came of it. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#leaving.abort();
    await Promise.all(this.#running);
    this.#leaving = new AbortController();
  }

  /** While something is away, and a while after it, some errors are expected. */
  async during(outage: Outage, work: () => Promise<void>): Promise<void> {
    this.#outage = outage;
    this.#outageUntilMs = Infinity;
    try {
      await work();
    } finally {
      this.#outageUntilMs = performance.now() + this.recoveryMs;
    }
  }

  forgetPreviews(): void {
    this.ledger.forgetPreviews();
  }

  /** Names that were asked for. */
  get names(): number {
    return this.#names.length;
  }

  /** Asks once more for all that was answered; how much of it came, the same as before. */
  async askAllAgain(): Promise<number> {
    const before = this.ledger.counted('good');
    for (const name of this.ledger.answered('key')) await this.#key('key again', name);
    for (const path of this.ledger.answered('preview')) await this.#preview('preview again', path);
    return this.ledger.counted('good') - before;
  }

  get #present(): Outage | null {
    return performance.now() < this.#outageUntilMs ? this.#outage : null;
  }

  #one<T>(of: readonly T[]): T | undefined {
    return of[Math.floor(Math.random() * of.length)];
  }

  async #knownKey(): Promise<void> {
    const name = this.#one(this.ledger.answered('key'));
    if (name !== undefined) await this.#key('known key', name);
  }

  async #newKey(): Promise<void> {
    await pause(LONG_PAUSE_MS);
    if (this.#names.length >= MAX_NAMES) return;
    const [name = ''] = this.world.keys.take(1, this.#names.length % 2 === 0 ? 'explicit' : 'discovered');
    this.#names.push(name);
    await this.#key('new key', name);
  }

  async #key(kind: string, name: string): Promise<void> {
    const before = this.#present;
    const path = `/_svc/key/v2/query/${encodeURIComponent(name)}/${this.world.keys.keyId}`;
    const answer = await this.#ask({ kind, path });
    if (answer === null) return;
    const [record] = recordsOf(answer);
    if (record === undefined) {
      const isExcused = kind === 'new key' && (before ?? this.#present) !== null;
      if (isExcused) this.ledger.count(kind, 'refused');
      else this.ledger.fail(kind, `${name}: no record`);
      return;
    }
    const { [name]: signatures } = record['signatures'] as Record<string, unknown>;
    const [keys, old] = [record['verify_keys'], record['old_verify_keys']];
    this.ledger.good(kind, `key ${name}`, { signatures, keys, old });
  }

  async #newPreview(): Promise<void> {
    if (this.#pages.length < MAX_PAGES) this.#pages.push(...this.world.pages.take('page', 1));
    const path = this.#one(this.#pages);
    if (path !== undefined) await this.#preview('new preview', path);
  }

  async #knownPreview(): Promise<void> {
    const path = this.#one(this.ledger.answered('preview'));
    if (path !== undefined) await this.#preview('known preview', path);
  }

  async #preview(kind: string, path: string): Promise<string | null> {
    const answer = await this.#ask({ kind, path });
    if (answer === null) return null;
    const preview = JSON.parse(answer.toString()) as Record<string, string>;
    this.ledger.good(kind, `preview ${path}`, preview['og:title']);
    const image = preview['og:image'] ?? null;
    // Our store kept it out: such a preview lives for half a minute (P-21).
    if (image === null) this.ledger.forget(`preview ${path}`);
    return image;
  }

  /** The picture of the latest preview is there, and its thumbnail the same as ever. */
  async #image(): Promise<void> {
    const path = this.ledger.answered('preview').at(-1);
    const image = path === undefined ? null : await this.#preview('known preview', path);
    if (image === null) return;
    const address = image.replace(/^\w+:\/\//, '');
    const query = 'width=320&height=240&method=scale';
    const bytes = await this.#ask({ kind: 'image', path: `/_svc/media/v3/thumbnail/${address}?${query}` });
    if (bytes === null) return;
    this.ledger.good('image', `image ${address}`, createHash('sha256').update(bytes).digest('hex'));
  }

  async #operator(): Promise<void> {
    const { server, adminToken } = this.world;
    const path = `http://127.0.0.1:${server?.metricsPort ?? 0}/admin/api/graphql`;
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${adminToken}` };
    const init = { method: 'POST', body: JSON.stringify({ query: LISTS }), headers };
    const answer = await this.#ask({ kind: 'operator', path, init });
    if (answer !== null && (JSON.parse(answer.toString()) as { errors?: unknown }).errors !== undefined)
      this.ledger.fail('operator', answer.toString().slice(0, 300));
    else if (answer !== null) this.ledger.count('operator', 'good');
    await pause(LONG_PAUSE_MS);
  }

  /** Nothing can be learnt of it: no record is what is expected. */
  async #silent(kind: string, name: () => string): Promise<void> {
    const answer = await this.#ask({ kind, path: `/_svc/key/v2/query/${encodeURIComponent(name())}` });
    if (answer === null) return;
    if (recordsOf(answer).length === 0) this.ledger.count(kind, 'good');
    else this.ledger.fail(kind, `a record: ${answer.toString().slice(0, 200)}`);
    await pause(LONG_PAUSE_MS);
  }

  async #stalledPage(): Promise<void> {
    const [path = ''] = this.world.pages.take('stall', 1);
    await this.#ask({ kind: 'stalled page', path, expected: 504 });
    await pause(LONG_PAUSE_MS);
  }

  /** The body of a good answer. */
  async #ask(question: Question): Promise<Buffer | null> {
    const { kind, path, expected } = question;
    const before = this.#present;
    const { signal: leaving } = this.#leaving;
    const { body, what, ...failure } = await this.#fetch(question, leaving);
    if (body === null && leaving.aborted) return null;
    if (body !== null && before === null && this.#present === null) this.calm += 1;
    const { status } = failure;
    if (body !== null && expected === undefined && status !== null && status < 300) return body;
    const isExcused = excuses(before, failure) || excuses(this.#present, failure);
    if (status !== null && status === expected) this.ledger.count(kind, 'good');
    else if (isExcused) this.ledger.count(kind, status === null ? 'broken' : 'refused');
    else this.ledger.fail(kind, `${path}: ${what} (${this.#circumstances(before)})`);
    return null;
  }

  async #fetch({ kind, path, init }: Question, leaving: AbortSignal): Promise<Answer> {
    const { server, previewToken } = this.world;
    const url = path.startsWith('http') ? path : `http://127.0.0.1:${server?.port ?? 1}${path}`;
    const headers = { Authorization: `Bearer ${previewToken}` };
    const signal = AbortSignal.any([AbortSignal.timeout(ANSWER_LIMIT_MS), leaving]);
    const isNew = kind.startsWith('new ');
    try {
      const answer = await fetch(url, { headers, ...init, signal });
      const body = Buffer.from(await answer.arrayBuffer());
      const { status } = answer;
      const reason = answer.headers.get('error-reason') ?? '';
      const hasRetryAfter = answer.headers.has('retry-after');
      const what = `${status} ${reason} ${body.toString('utf8', 0, MAX_TOLD_BYTES)}`;
      return { body, what, status, reason, hasRetryAfter, isNew };
    } catch (error) {
      const what = `${String(error)} ${String((error as Error).cause)}`;
      return { body: null, what, status: null, reason: '', hasRetryAfter: false, isNew };
    }
  }

  #circumstances(before: Outage | null): string {
    const away = before ?? this.#present;
    return away === null ? 'nothing was wrong' : `outage of ${away === 'store' ? 'the store' : away}`;
  }
}

function recordsOf(answer: Buffer): Record<string, unknown>[] {
  return (JSON.parse(answer.toString()) as { server_keys: Record<string, unknown>[] }).server_keys;
}

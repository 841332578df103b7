import { createHash } from 'node:crypto';

import type { Ledger } from './ledger.js';
import type { SoakWorld } from './world.js';

const ANSWER_LIMIT_MS = 40_000;
const PAUSE_MS = 20;
/** Something of the world may be away for so long after it is back: pools and back-off. */
const HEALING_MS = 20_000;
const ERRORS_OF_OURS = new Set([500, 502, 503, 504]);
const LISTS = `{ servers(first: 25) { nodes { name } } previews(first: 25) { nodes { id } }
  overview { __typename } jobs { name } keyEvents(first: 25) { nodes { id } } media(first: 25) { nodes { id } } }`;

/** Clients of all kinds that ask, each again as soon as it has its answer. */
export class Load {
  #isOver = false;
  #running: Promise<void>[] = [];
  #troubleUntilMs = 0;
  #troubles = 0;
  /** Of the server that is asked about in the next question of a peer. */
  #next = 0;
  readonly #names: string[] = [];

  constructor(
    private readonly world: SoakWorld,
    private readonly ledger: Ledger,
  ) {}

  start(): void {
    const clients = [
      ...Array.from({ length: 3 }, () => () => this.#knownKey()),
      () => this.#newKey(),
      ...Array.from({ length: 2 }, () => () => this.#newPreview()),
      ...Array.from({ length: 2 }, () => () => this.#knownPreview()),
      () => this.#image(),
      () => this.#operator(),
      () => this.#silent(),
    ];
    this.#running = clients.map(async (ask) => {
      while (!this.#isOver) {
        await ask();
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    });
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  /** While something is away, and a while after it, errors are expected. */
  async during(trouble: () => Promise<void>): Promise<void> {
    this.#troubles += 1;
    try {
      await trouble();
    } finally {
      this.#troubles -= 1;
      this.#troubleUntilMs = performance.now() + HEALING_MS;
    }
  }

  /** Asks once more for all that was answered. */
  async askAllAgain(): Promise<number> {
    const before = this.ledger.counted('good');
    for (const name of this.ledger.answered('key')) await this.#key(name);
    for (const path of this.ledger.answered('preview')) await this.#preview(path);
    return this.ledger.counted('good') - before;
  }

  get #isTroubled(): boolean {
    return this.#troubles > 0 || performance.now() < this.#troubleUntilMs;
  }

  async #knownKey(): Promise<void> {
    const name = this.#names[(this.#next += 1) % Math.max(1, this.#names.length)];
    if (name !== undefined) await this.#key(name);
  }

  async #newKey(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 10 * PAUSE_MS));
    if (this.#names.length > 1200) return;
    const [name = ''] = this.world.keys.take(1, this.#names.length % 2 === 0 ? 'explicit' : 'discovered');
    if (await this.#key(name)) this.#names.push(name);
  }

  async #key(name: string): Promise<boolean> {
    const path = `/_svc/key/v2/query/${encodeURIComponent(name)}/${this.world.keys.keyId}`;
    const answer = await this.#ask('key', path);
    if (answer === null) return false;
    const [record] = (JSON.parse(answer.toString()) as { server_keys: Record<string, unknown>[] })
      .server_keys;
    if (record === undefined) {
      // Nothing is remembered of it, and its fetch failed.
      this.#noteFailure('key', `${name}: no record`);
      return false;
    }
    const { [name]: signatures } = record['signatures'] as Record<string, unknown>;
    this.ledger.good('key', name, {
      signatures,
      keys: record['verify_keys'],
      old: record['old_verify_keys'],
    });
    return true;
  }

  async #newPreview(): Promise<void> {
    const [path = ''] = this.world.pages.take('page', 1);
    await this.#preview(path);
  }

  async #knownPreview(): Promise<void> {
    const known = this.ledger.answered('preview');
    const path = known[(this.#next += 1) % Math.max(1, known.length)];
    if (path !== undefined) await this.#preview(path);
  }

  async #preview(path: string): Promise<string | null> {
    const answer = await this.#ask('preview', path);
    if (answer === null) return null;
    const preview = JSON.parse(answer.toString()) as Record<string, string>;
    this.ledger.good('preview', path, preview['og:title']);
    return preview['og:image'] ?? null;
  }

  /** The picture of the latest preview is there, and its thumbnail the same as ever. */
  async #image(): Promise<void> {
    const path = this.ledger.answered('preview').at(-1);
    const image = path === undefined ? null : await this.#preview(path);
    if (image === null) return;
    const address = image.replace(/^\w+:\/\//, '');
    const query = 'width=320&height=240&method=scale';
    const bytes = await this.#ask('image', `/_svc/media/v3/thumbnail/${address}?${query}`);
    if (bytes !== null) this.ledger.good('image', address, createHash('sha256').update(bytes).digest('hex'));
  }

  async #operator(): Promise<void> {
    const { server, adminToken } = this.world;
    const url = `http://127.0.0.1:${server?.metricsPort ?? 0}/admin/api/graphql`;
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${adminToken}` };
    const answer = await this.#ask('operator', url, {
      method: 'POST',
      body: JSON.stringify({ query: LISTS }),
      headers,
    });
    if (answer !== null) this.ledger.count('operator', 'good');
    await new Promise((resolve) => setTimeout(resolve, 10 * PAUSE_MS));
  }

  /** Of a server that never answers; its failure is what is expected. */
  async #silent(): Promise<void> {
    const answer = await this.#ask(
      'silent',
      `/_svc/key/v2/query/${encodeURIComponent(this.world.keys.blackHole)}`,
    );
    if (answer !== null) this.ledger.count('silent', 'good');
  }

  /** The body of a good answer. */
  async #ask(kind: string, path: string, init: RequestInit = {}): Promise<Buffer | null> {
    const { server, previewToken } = this.world;
    const wasTroubled = this.#isTroubled;
    const url = path.startsWith('http') ? path : `http://127.0.0.1:${server?.port ?? 1}${path}`;
    const headers = { Authorization: `Bearer ${previewToken}` };
    try {
      const answer = await fetch(url, { headers, ...init, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
      const body = Buffer.from(await answer.arrayBuffer());
      if (answer.ok) return body;
      const reason = `${answer.status} ${answer.headers.get('error-reason') ?? ''} ${body.toString().slice(0, 200)}`;
      const hasTime = answer.status !== 503 || answer.headers.has('retry-after');
      if ((wasTroubled || this.#isTroubled) && ERRORS_OF_OURS.has(answer.status) && hasTime)
        this.ledger.count(kind, 'away');
      else this.ledger.fail(kind, `${path}: ${reason}`);
    } catch (error) {
      if (wasTroubled || this.#isTroubled) this.ledger.count(kind, 'broken');
      else this.ledger.fail(kind, `${path}: ${String(error)} ${String((error as Error).cause)}`);
    }
    return null;
  }

  #noteFailure(kind: string, what: string): void {
    if (this.#isTroubled) this.ledger.count(kind, 'away');
    else this.ledger.fail(kind, what);
  }
}

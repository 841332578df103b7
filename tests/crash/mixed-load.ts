import { SECOND_MS } from '../../src/core/base/clock.js';
import { isSignedBy, type AnsweredRecord } from '../support/clients/notary-client.js';
import { mediaPath } from '../support/clients/preview-client.js';
import type { RemoteServer } from '../support/origins/remote-server.js';
import type { RemoteSite } from '../support/origins/remote-site.js';
import { seededRandom } from '../support/mutations.js';

/** One question and what came back. */
export interface Asked {
  kind: 'preview' | 'thumbnail' | 'keys';
  /** Path of the page, or server name. */
  about: string;
  startedMs: number;
  endedMs: number;
  /** `null`: the connection broke. */
  status: number | null;
  retryAfter: string | null;
  /** What is wrong with an answer 200. */
  fault: string | null;
}

export interface MixedLoadOptions {
  /** The reverse proxy. */
  url: string;
  token: string;
  site: Pick<RemoteSite, 'url'>;
  servers: readonly RemoteServer[];
}

/** Default of federation.key_query_timeout: after it a key query is answered with what is there (SPEC §4.4.10). */
export const KEY_QUERY_MS = 15 * SECOND_MS;
/** As `startThreeInstances` starts. */
const INSTANCES = 3;
const ASKERS = 6;
/** So many pages without an answer are asked for again before there are new ones. */
const MAX_FAILED = 12;
const THUMBNAIL = '?width=320&height=240&method=scale';

/** Asks for new and known previews, their thumbnails and keys, until it is paused. */
export class MixedLoad {
  readonly asked: Asked[] = [];
  /** Pictures of pages, by their path, as they were answered first. */
  readonly pictures = new Map<string, string>();
  /** All of them: each instance may make a preview of its own. */
  readonly #answered = new Map<string, Set<string>>();
  readonly #random = seededRandom(20_261_123);
  readonly #pages: string[] = [];
  #isPausing = false;
  #running: Promise<void>[] = [];

  constructor(private readonly options: MixedLoadOptions) {}

  start(): void {
    this.#isPausing = false;
    this.#running = Array.from({ length: ASKERS }, () => this.#askOn());
  }

  /** Resolves when so many more answers to what was asked from now on are there. */
  async answers(count: number): Promise<Asked[]> {
    const fromMs = performance.now();
    for (;;) {
      const since = this.asked.filter(({ startedMs }) => startedMs >= fromMs);
      if (since.length >= count) return since;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async pause(): Promise<void> {
    this.#isPausing = true;
    await Promise.all(this.#running);
  }

  /** Every page that was asked for. */
  pages(): string[] {
    return [...new Set(this.asked.filter(({ kind }) => kind === 'preview').map(({ about }) => about))];
  }

  preview(path: string, base = this.options.url): Promise<Asked> {
    const query = new URLSearchParams({ url: this.options.site.url(path) });
    return this.#ask('preview', path, {
      url: `${base}/_svc/media/v3/preview_url?${query.toString()}`,
      faultOf: (body) => this.#faultOf(path, JSON.parse(body.toString()) as Record<string, unknown>),
    });
  }

  thumbnail(path: string): Promise<Asked> {
    const media = mediaPath(this.pictures.get(path));
    return this.#ask('thumbnail', path, {
      url: `${this.options.url}/_svc/client/v1/media/thumbnail/${media}${THUMBNAIL}`,
      faultOf: (body) => {
        const ends = [body.subarray(0, 2), body.subarray(-2)].map((bytes) => bytes.toString('hex'));
        return ends.join() === 'ffd8,ffd9' ? null : 'no whole picture';
      },
    });
  }

  keys({ serverName, key }: RemoteServer, base = this.options.url): Promise<Asked> {
    const startedMs = performance.now();
    return this.#ask('keys', serverName, {
      url: `${base}/_svc/key/v2/query`,
      post: { server_keys: { [serverName]: { [key.keyId]: {} } } },
      faultOf: (body) => {
        const { server_keys: records } = JSON.parse(body.toString()) as { server_keys: AnsweredRecord[] };
        if (records.length === 0 && performance.now() - startedMs >= KEY_QUERY_MS) return null;
        return records.some((record) => isSignedBy(record, serverName, key)) ? null : body.toString();
      },
    });
  }

  async #askOn(): Promise<void> {
    while (!this.#isPausing) await this.#askOne();
  }

  async #askOne(): Promise<void> {
    const { servers } = this.options;
    const kind = this.#random(10);
    const known = this.#pick([...this.pictures.keys()]);
    if (kind < 3) {
      const failed = this.#pages.filter((path) => !this.pictures.has(path));
      const path = failed.length < MAX_FAILED ? `/page-${this.#pages.length}` : (this.#pick(failed) ?? '');
      if (!this.#pages.includes(path)) this.#pages.push(path);
      // The proxy sends them to two instances.
      await Promise.all([this.preview(path), this.preview(path)]);
    } else if (kind < 7) {
      const server = this.#pick(servers);
      if (server !== undefined) await this.keys(server);
    } else if (known !== undefined) {
      await (kind < 9 ? this.preview(known) : this.thumbnail(known));
    }
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items.length === 0 ? undefined : items[this.#random(items.length)];
  }

  #faultOf(path: string, body: Record<string, unknown>): string | null {
    const picture = body['og:image'];
    if (body['og:title'] !== path || typeof picture !== 'string') return JSON.stringify(body);
    this.pictures.set(path, this.pictures.get(path) ?? picture);
    const all = (this.#answered.get(path) ?? new Set()).add(picture);
    this.#answered.set(path, all);
    return all.size <= INSTANCES ? null : `${picture} beside ${[...all].join(' ')}`;
  }

  async #ask(
    kind: Asked['kind'],
    about: string,
    { url, post, faultOf }: { url: string; post?: object; faultOf: (body: Buffer) => string | null },
  ): Promise<Asked> {
    const startedMs = performance.now();
    const asked: Asked = { kind, about, startedMs, endedMs: 0, status: null, retryAfter: null, fault: null };
    const headers = { Authorization: `Bearer ${this.options.token}` };
    try {
      const sent = post === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(post) };
      const response = await fetch(url, sent);
      const body = Buffer.from(await response.arrayBuffer());
      Object.assign(asked, { status: response.status, retryAfter: response.headers.get('retry-after') });
      if (asked.status === 200) asked.fault = faultOf(body);
    } catch (error) {
      asked.fault = String(error);
    }
    asked.endedMs = performance.now();
    this.asked.push(asked);
    return asked;
  }
}

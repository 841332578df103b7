import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';

import { decodeXML } from 'entities';

import { Deadline } from '../../base/deadline.js';
import { workQueue, type FairQueue } from '../../base/fair-queue.js';
import { S3Client, S3Refusal, type S3Options, type S3Request } from './s3-client.js';
import { S3Failure, s3Failure } from './s3-failure.js';

export type S3Operation = 'put' | 'get' | 'head' | 'delete' | 'list';

/** How a request ended; the label of the metric media_store_requests_total. */
export type S3Outcome = 'ok' | 'absent' | 'refused' | 'away' | 'timeout';

/** What a bucket is used with. */
export interface S3BucketOptions extends Omit<S3Options, 'maxSockets'> {
  /** For a request, and for each silence while an object is read. */
  timeoutMs: number;
  /** Requests at once that store, look, list or delete. */
  maxConcurrent: number;
  /** Objects being read at once. */
  maxReads: number;
  /** Requests that may wait for their turn, of each of both kinds. */
  maxWaiting: number;
  /** Told of each request that ended. */
  onRequest?: ((operation: S3Operation, outcome: S3Outcome, seconds: number) => void) | undefined;
}

/** A page of a list. */
export interface ListRequest {
  prefix: string;
  /** Empty: from the first. */
  after: string;
  /** At most 1,000. */
  limit: number;
}

/** A bounded number of requests at once to one bucket. All reject with `S3Failure`, or 503 `overloaded`. */
export class S3Bucket {
  readonly #client: S3Client;
  readonly #work: FairQueue;
  readonly #reads: FairQueue;

  constructor(private readonly options: S3BucketOptions) {
    const { maxConcurrent, maxReads, maxWaiting } = options;
    this.#work = workQueue({ maxRunning: maxConcurrent, maxWaiting });
    this.#reads = workQueue({ maxRunning: maxReads, maxWaiting });
    this.#client = new S3Client({ ...options, maxSockets: maxConcurrent + maxReads });
  }

  /** Stores an object, or replaces it. A known digest (hex) is not computed again for the signature. */
  async put(key: string, body: Uint8Array, sha256?: string): Promise<void> {
    await this.#run('put', (signal) => this.#finish({ method: 'PUT', key, body, sha256 }, signal));
  }

  /** Reads an object or a part of it; `null`: there is none. Its place is free when the body has ended. */
  get(key: string, range: string | undefined): Promise<{ body: Readable; sizeBytes: number } | null> {
    return new Promise((resolve, reject) => {
      const read = async (): Promise<void> => {
        const opened = await this.#open(key, range);
        resolve(opened);
        // The reader gets its error.
        if (opened !== null) await finished(opened.body).catch(() => undefined);
      };
      this.#reads.run({ client: undefined }, read).catch(reject);
    });
  }

  /** `null`: there is no such object, or no such bucket: the store does not tell which. */
  head(key: string): Promise<{ sizeBytes: number; modifiedTs: number } | null> {
    return this.#run('head', async (signal) => {
      const headers = await this.#finish({ method: 'HEAD', key }, signal);
      const modifiedTs = Date.parse(headers['last-modified'] ?? '') || 0;
      return { sizeBytes: Number(headers['content-length'] ?? 0), modifiedTs };
    });
  }

  /** That there is none is fine. */
  async delete(key: string): Promise<void> {
    await this.#run('delete', (signal) => this.#finish({ method: 'DELETE', key }, signal));
  }

  /** Keys below a prefix that come after one, in order of their bytes. */
  async list({ prefix, after, limit }: ListRequest): Promise<{ keys: string[]; isLast: boolean }> {
    const page = await this.#run('list', async (signal) => {
      const start: Record<string, string> = after === '' ? {} : { 'start-after': after };
      const query = { 'list-type': '2', prefix, 'max-keys': String(limit), ...start };
      const listed = await text(await this.#client.send({ method: 'GET', query }, signal));
      const keys = [...listed.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => decodeXML(key));
      return { keys, isLast: !listed.includes('<IsTruncated>true<') || keys.length === 0 };
    });
    if (page === null) throw new S3Failure('NoSuchBucket', null);
    return page;
  }

  /**
   * How far the store's clock is ahead of ours, as its answers told; 0 before the first. Signatures are dated by it.
   */
  get clockOffsetMs(): number {
    return this.#client.clockOffsetMs;
  }

  /** Closes its connections. */
  close(): void {
    this.#client.close();
  }

  /** Sends a request whose answer has no body of interest. */
  async #finish(request: S3Request, signal: AbortSignal): Promise<IncomingHttpHeaders> {
    const response = await this.#client.send(request, signal);
    response.resume();
    return response.headers;
  }

  #open(key: string, range: string | undefined): Promise<{ body: Readable; sizeBytes: number } | null> {
    return this.#ask('get', async (signal) => {
      const response = await this.#client.send({ method: 'GET', key, range }, signal);
      const body = watchStall(response, this.options.timeoutMs);
      const { 'content-range': part, 'content-length': length } = response.headers;
      return { body, sizeBytes: wholeSize(part) ?? Number(length ?? 0) };
    });
  }

  #run<T>(operation: S3Operation, request: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    return this.#work.run({ client: undefined }, () => this.#ask(operation, request));
  }

  /** `null` for what is not there. */
  async #ask<T>(operation: S3Operation, request: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const deadline = new Deadline(this.options.timeoutMs);
    const startMs = performance.now();
    const tell = (outcome: S3Outcome): void =>
      this.options.onRequest?.(operation, outcome, (performance.now() - startMs) / 1000);
    try {
      const answer = await request(deadline.signal);
      tell('ok');
      return answer;
    } catch (error) {
      if (isAbsent(operation, error)) {
        tell('absent');
        return null;
      }
      const failure = s3Failure(error, deadline.signal.aborted);
      tell(failure.failure === 'timeout' ? 'timeout' : failure.refusal === null ? 'away' : 'refused');
      throw failure;
    } finally {
      deadline.close();
    }
  }
}

function isAbsent(operation: S3Operation, error: unknown): boolean {
  if (!(error instanceof S3Refusal)) return false;
  return operation === 'head' ? error.status === 404 : error.code === 'NoSuchKey';
}

/** `bytes 0-9/300` */
function wholeSize(contentRange: string | undefined): number | null {
  const [, size] = /\/(\d+)$/.exec(contentRange ?? '') ?? [];
  return size === undefined ? null : Number(size);
}

/** The same bytes; ends with a failure when the store sends none for a while although somebody would read them. */
function watchStall(source: Readable, timeoutMs: number): Readable {
  const watched = new PassThrough();
  let isSilent = true;
  const timer = setInterval(() => {
    if (isSilent && watched.readableLength === 0) source.destroy(new S3Failure('timeout', null));
    isSilent = true;
  }, timeoutMs);
  source.on('data', () => {
    isSilent = false;
  });
  pipeline(source, watched, () => clearInterval(timer));
  return watched;
}

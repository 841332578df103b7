import { PassThrough, pipeline, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

import { Deadline } from '../../base/deadline.js';
import { Remembered } from '../../base/remembered.js';
import type { FairQueue } from '../../base/fair-queue.js';
import { workQueue } from '../../base/worker/work-queue.js';
import { loadS3, type LoadedS3, type S3ClientOptions } from './s3-client.js';
import { S3Failure, s3Failure, statusOf } from './s3-failure.js';

export type S3Operation = 'put' | 'get' | 'head' | 'delete' | 'list';

/** How a request ended; the label of the metric media_store_requests_total. */
export type S3Outcome = 'ok' | 'absent' | 'refused' | 'away' | 'timeout';

/** What a bucket is used with. */
export interface S3BucketOptions extends Omit<S3ClientOptions, 'maxSockets' | 'connectTimeoutMs'> {
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
  readonly #loaded: Remembered<LoadedS3>;
  readonly #work: FairQueue;
  readonly #reads: FairQueue;

  constructor(private readonly options: S3BucketOptions) {
    const { maxConcurrent, maxReads, maxWaiting, timeoutMs } = options;
    this.#work = workQueue({ maxRunning: maxConcurrent, maxWaiting });
    this.#reads = workQueue({ maxRunning: maxReads, maxWaiting });
    const maxSockets = maxConcurrent + maxReads;
    this.#loaded = new Remembered(() => loadS3({ ...options, maxSockets, connectTimeoutMs: timeoutMs }));
  }

  /** Stores an object, or replaces it. A known digest (hex) is not computed again for the signature. */
  async put(Key: string, Body: Uint8Array, sha256?: string): Promise<void> {
    await this.#work.run({ client: undefined }, () =>
      this.#ask('put', async ({ sdk, client }, { signal: abortSignal }) => {
        const ContentType = 'application/octet-stream';
        const request = { ...this.#bucket, Key, Body, ContentLength: Body.length, ContentType };
        const command = new sdk.PutObjectCommand(request);
        command.middlewareStack.add((next) => (step) => next(withDigest(step, sha256)), { step: 'build' });
        await client.send(command, { abortSignal });
      }),
    );
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
  head(Key: string): Promise<{ sizeBytes: number; modifiedTs: number } | null> {
    return this.#work.run({ client: undefined }, () =>
      this.#ask('head', async ({ sdk, client }, { signal: abortSignal }) => {
        const command = new sdk.HeadObjectCommand({ ...this.#bucket, Key });
        const found = await client.send(command, { abortSignal });
        return { sizeBytes: found.ContentLength ?? 0, modifiedTs: found.LastModified?.getTime() ?? 0 };
      }),
    );
  }

  /** That there is none is fine. */
  async delete(Key: string): Promise<void> {
    await this.#work.run({ client: undefined }, () =>
      this.#ask('delete', async ({ sdk, client }, { signal: abortSignal }) => {
        await client.send(new sdk.DeleteObjectCommand({ ...this.#bucket, Key }), { abortSignal });
      }),
    );
  }

  /** Keys below a prefix that come after one, in order of their bytes. */
  async list({ prefix, after, limit }: ListRequest): Promise<{ keys: string[]; isLast: boolean }> {
    const page = await this.#work.run({ client: undefined }, () =>
      this.#ask('list', async ({ sdk, client }, { signal: abortSignal }) => {
        const StartAfter = after === '' ? {} : { StartAfter: after };
        const command = new sdk.ListObjectsV2Command({
          ...this.#bucket,
          Prefix: prefix,
          MaxKeys: limit,
          ...StartAfter,
        });
        const { Contents = [], IsTruncated = false } = await client.send(command, { abortSignal });
        const keys = Contents.map(({ Key = '' }) => Key);
        return { keys, isLast: !IsTruncated || keys.length === 0 };
      }),
    );
    if (page === null) throw new S3Failure('NoSuchBucket', null);
    return page;
  }

  /**
   * How far the store's clock is ahead of ours, as its answers told; 0 before the first. Signatures are dated by it.
   */
  async clockOffsetMs(): Promise<number> {
    return (await this.#loaded.current)?.client.config.systemClockOffset ?? 0;
  }

  /** Closes its connections. */
  async close(): Promise<void> {
    const loaded = await this.#loaded.current?.catch(() => null);
    loaded?.client.destroy();
  }

  get #bucket(): { Bucket: string } {
    return { Bucket: this.options.bucket };
  }

  #open(Key: string, Range: string | undefined): Promise<{ body: Readable; sizeBytes: number } | null> {
    return this.#ask('get', async ({ sdk, client }, { signal: abortSignal }) => {
      const command = new sdk.GetObjectCommand({
        ...this.#bucket,
        Key,
        ...(Range === undefined ? {} : { Range }),
      });
      const { Body, ContentLength = 0, ContentRange } = await client.send(command, { abortSignal });
      if (!(Body instanceof Readable)) throw new TypeError('an answer without a body');
      const body = watchStall(Body, this.options.timeoutMs);
      return { body, sizeBytes: wholeSize(ContentRange) ?? ContentLength };
    });
  }

  /** `null` for what is not there. */
  async #ask<T>(
    operation: S3Operation,
    request: (loaded: LoadedS3, deadline: Deadline) => Promise<T>,
  ): Promise<T | null> {
    const deadline = new Deadline(this.options.timeoutMs);
    const startMs = performance.now();
    const tell = (outcome: S3Outcome): void =>
      this.options.onRequest?.(operation, outcome, (performance.now() - startMs) / 1000);
    try {
      const answer = await request(await this.#loaded.get(), deadline);
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

function withDigest<Step extends { request: unknown }>(step: Step, sha256: string | undefined): Step {
  const { request } = step;
  if (sha256 !== undefined && typeof request === 'object' && request !== null && 'headers' in request)
    Object.assign(request.headers ?? {}, { 'x-amz-content-sha256': sha256 });
  return step;
}

function isAbsent(operation: S3Operation, error: unknown): boolean {
  if (operation === 'head') return statusOf(error) === 404;
  return operation === 'get' && error instanceof Error && error.name === 'NoSuchKey';
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

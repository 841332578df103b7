import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';

import { decodeXML } from 'entities';

import { Deadline } from '../../base/deadline.js';
import { ApiError, errorCode } from '../../base/errors/api-error.js';
import { workQueue, type FairQueue } from '../../base/fair-queue.js';
import { S3Client, S3Refusal, type S3Options, type S3Request } from './s3-client.js';

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

/** Codes of S3 that say what an operator has to change; each with what it means. */
const REFUSALS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket',
  NotFound: 'there is no such bucket',
  InvalidBucketName: 'the bucket name is not valid',
  PermanentRedirect: 'the bucket is at another endpoint',
  AuthorizationHeaderMalformed: 'the region is wrong',
  InvalidAccessKeyId: 'the access key ID is not known there',
  SignatureDoesNotMatch: 'the secret access key is wrong',
  AccessDenied: 'the access key lacks the permission',
  // All that a question about one object is answered with.
  Forbidden: 'the access key or its secret is wrong, or the permission is missing',
  RequestTimeTooSkewed: 'the clocks of this machine and the store differ by more than 15 minutes',
  QuotaExceeded: 'the storage is full',
  EntityTooLarge: 'the file exceeds the size limit of the store',
};

const RETRY_AFTER_SECONDS = 10;

/** A request to the object store that failed: nothing is known of what is there. */
export class S3Failure extends ApiError {
  /** Of the cause its message alone is kept. */
  constructor(
    /** The code that S3 gave, or that of the system; `timeout` when the time was over. */
    readonly failure: string,
    error: unknown,
  ) {
    const cause = error instanceof Error ? new Error(error.message) : undefined;
    const why = REFUSALS[failure];
    super(503, 'The media store cannot be used at the moment', {
      cause,
      reason: why === undefined ? 'media_store_away' : 'media_store_refused',
      detail:
        why === undefined ? `The media store does not answer: ${failure}` : `The media store refuses: ${why}`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /** What is wrong, when the store said so; `null`: it is away. */
  get refusal(): string | null {
    return REFUSALS[this.failure] ?? null;
  }
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

  /** At most 1,000 keys below a prefix, in order of their bytes: those that come after one; empty: from the first. */
  async list({ prefix, after, limit }: { prefix: string; after: string; limit: number }) {
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

/** The failure that an error of the client means. */
function s3Failure(error: unknown, isExpired: boolean): S3Failure {
  if (error instanceof S3Failure) return error;
  if (isExpired) return new S3Failure('timeout', error);
  const unknown = error instanceof Error ? error.name : 'unknown';
  return new S3Failure(errorCode(error) || unknown, error);
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

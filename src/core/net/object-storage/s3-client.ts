import { createHash } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

import { AwsV4Signer } from 'aws4fetch';

import { systemClock } from '../../base/clock.js';

/** Which store, and as whom. */
export interface S3Options {
  /** `null`: that of AWS for the region. */
  endpoint: string | null;
  region: string;
  bucket: string;
  /** Whether the bucket stands in the path instead of the host name. */
  pathStyle: boolean;
  /** Asked for each request, so that a secret may change while the program runs. */
  credentials: () => Promise<{ accessKeyId: string; secretAccessKey: string }>;
  maxSockets: number;
}

export interface S3Request {
  method: 'DELETE' | 'GET' | 'HEAD' | 'PUT';
  /** Without one the request is about the bucket. */
  key?: string;
  query?: Record<string, string>;
  range?: string | undefined;
  body?: Uint8Array;
  /** Digest of the body (hex), when it is known. */
  sha256?: string | undefined;
}

/** An answer that is not 2xx. */
export class S3Refusal extends Error {
  constructor(
    readonly status: number,
    /** The code of S3, such as `NoSuchKey`. */
    readonly code: string,
  ) {
    super(`${status} ${code}`);
  }
}

const RETRY_DELAY_MS = 100;
/** Stores refuse signatures that are a quarter of an hour old. */
const MAX_SKEW_MS = 5 * 60_000;
/** Codes of answers without a body. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  403: 'Forbidden',
  404: 'NotFound',
};

/** Signed requests to one bucket (Signature Version 4), over connections that are kept. */
export class S3Client {
  /** How far the store's clock is ahead of ours, as its answers say; signatures are dated by it. */
  #clockOffsetMs = 0;
  readonly #base: URL;
  readonly #path: string;
  readonly #agent: http.Agent;

  constructor(private readonly options: S3Options) {
    const { endpoint, region, bucket, pathStyle, maxSockets } = options;
    this.#base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
    const path = this.#base.pathname.replace(/\/$/, '');
    // A certificate for all buckets does not cover names with dots.
    const isInPath = pathStyle || bucket.includes('.');
    this.#path = isInPath ? `${path}/${bucket}` : path;
    if (!isInPath) this.#base.hostname = `${bucket}.${this.#base.hostname}`;
    const kind = this.#base.protocol === 'https:' ? https : http;
    this.#agent = new kind.Agent({ keepAlive: true, maxSockets });
  }

  /** Resolves to the answer with its body still to be read. Rejects with `S3Refusal` or an error of the system. */
  async send(request: S3Request, signal: AbortSignal): Promise<http.IncomingMessage> {
    const clockOffsetMs = this.#clockOffsetMs;
    try {
      return await this.#sendOnce(request, signal);
    } catch (error) {
      const wasDatedWrongly = this.#clockOffsetMs !== clockOffsetMs;
      const status = error instanceof S3Refusal ? error.status : 500;
      if (status < 500 && status !== 429 && !wasDatedWrongly) throw error;
      await setTimeout(RETRY_DELAY_MS, undefined, { signal });
      return this.#sendOnce(request, signal);
    }
  }

  /** Closes its connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #sendOnce(request: S3Request, signal: AbortSignal): Promise<http.IncomingMessage> {
    const { url, headers } = await this.#sign(request);
    const kind = url.protocol === 'https:' ? https : http;
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      kind
        .request(url, { method: request.method, headers, agent: this.#agent, signal })
        .on('error', reject)
        .on('response', resolve)
        .end(request.body);
    });
    const { statusCode: status = 0, headers: received } = response;
    const offsetMs = Date.parse(received.date ?? '') - systemClock.now();
    if (Math.abs(offsetMs - this.#clockOffsetMs) > MAX_SKEW_MS) this.#clockOffsetMs = offsetMs;
    if (status >= 200 && status < 300) return response;
    const [, code] = /<Code>(\w{1,100})<\/Code>/.exec(await text(response)) ?? [];
    throw new S3Refusal(status, code ?? CODE_OF_STATUS[status] ?? `status ${status}`);
  }

  async #sign(request: S3Request): Promise<{ url: URL; headers: http.OutgoingHttpHeaders }> {
    const { method, key, query = {}, range, body, sha256 } = request;
    const url = new URL(this.#base);
    url.pathname = key === undefined ? this.#path : `${this.#path}/${key}`;
    url.search = new URLSearchParams(query).toString().replaceAll('+', '%20');
    const bodyHeaders: Record<string, string> =
      body === undefined
        ? {}
        : { 'content-length': String(body.length), 'content-type': 'application/octet-stream' };
    const signer = new AwsV4Signer({
      ...(await this.options.credentials()),
      method,
      url: url.href,
      service: 's3',
      region: this.options.region,
      datetime: new Date(systemClock.now() + this.#clockOffsetMs).toISOString().replaceAll(/[-:]|\.\d+/g, ''),
      headers: {
        ...bodyHeaders,
        ...(range === undefined ? {} : { range }),
        'x-amz-content-sha256':
          sha256 ??
          createHash('sha256')
            .update(body ?? '')
            .digest('hex'),
      },
    });
    const { headers } = await signer.sign();
    return { url, headers: Object.fromEntries(headers) };
  }
}

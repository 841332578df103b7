import { createHash, createHmac } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

import { systemClock } from '../../base/clock.js';

/** Which store, and as whom. */
export interface S3Options {
  /** `null`: that of AWS for the region. */
  endpoint: string | null;
  region: string;
  bucket: string;
  /** Whether the bucket stands in the path instead of the host name. */
  pathStyle: boolean;
  /** Asked again every few minutes, so that a secret may change while the program runs. */
  credentials: () => Promise<S3Credentials>;
  maxSockets: number;
}

interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
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

const CREDENTIALS_LIFETIME_MS = 5 * 60_000;
const MAX_ATTEMPTS = 2;
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
  clockOffsetMs = 0;
  readonly #base: URL;
  readonly #path: string;
  readonly #agent: http.Agent;
  #credentials: { value: Promise<S3Credentials>; expiresTs: number } | null = null;

  constructor(private readonly options: S3Options) {
    const { endpoint, region, bucket, pathStyle, maxSockets } = options;
    this.#base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
    const path = this.#base.pathname.replace(/\/$/, '');
    // A certificate for all buckets does not cover names with dots.
    const isInPath = pathStyle || bucket.includes('.');
    this.#path = isInPath ? `${path}/${encode(bucket)}` : path;
    if (!isInPath) this.#base.hostname = `${bucket}.${this.#base.hostname}`;
    const kind = this.#base.protocol === 'https:' ? https : http;
    this.#agent = new kind.Agent({ keepAlive: true, maxSockets });
  }

  /** Resolves to the answer with its body still to be read. Rejects with `S3Refusal` or an error of the system. */
  async send(request: S3Request, signal: AbortSignal): Promise<http.IncomingMessage> {
    for (let attempt = 1; ; attempt += 1) {
      const { clockOffsetMs } = this;
      try {
        return await this.#sendOnce(request, signal);
      } catch (error) {
        const isWorthRetry =
          !(error instanceof S3Refusal) ||
          error.status >= 500 ||
          error.status === 429 ||
          // It was dated wrongly.
          this.clockOffsetMs !== clockOffsetMs;
        if (attempt === MAX_ATTEMPTS || !isWorthRetry) throw error;
        await setTimeout(RETRY_DELAY_MS, undefined, { signal });
      }
    }
  }

  /** Closes its connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #sendOnce(request: S3Request, signal: AbortSignal): Promise<http.IncomingMessage> {
    const { method, key, query = {}, range, body } = request;
    const path = `${this.#path}${key === undefined ? '' : `/${key.split('/').map(encode).join('/')}`}` || '/';
    const search = Object.entries(query)
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join('&');
    const headers = {
      ...this.#sign({ ...request, path, search }, await this.#currentCredentials()),
      ...(range === undefined ? {} : { range }),
      ...(body === undefined
        ? {}
        : { 'content-length': body.length, 'content-type': 'application/octet-stream' }),
    };
    const kind = this.#base.protocol === 'https:' ? https : http;
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const whole = search === '' ? path : `${path}?${search}`;
      kind
        .request(this.#base, { method, path: whole, headers, agent: this.#agent, signal })
        .on('error', reject)
        .on('response', resolve)
        .end(body);
    });
    this.#compareClocks(response.headers.date);
    const { statusCode: status = 0 } = response;
    if (status >= 200 && status < 300) return response;
    const [, code] = /<Code>(\w{1,100})<\/Code>/.exec(await text(response)) ?? [];
    throw new S3Refusal(status, code ?? CODE_OF_STATUS[status] ?? `status ${status}`);
  }

  /** The headers that are signed, and the signature. */
  #sign(
    { method, path, search, body, sha256 = digest(body ?? '') }: SignedParts,
    { accessKeyId, secretAccessKey }: S3Credentials,
  ): Record<string, string> {
    const now = new Date(systemClock.now() + this.clockOffsetMs);
    const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const scope = [time.slice(0, 8), this.options.region, 's3', 'aws4_request'];
    const headers = { host: this.#base.host, 'x-amz-content-sha256': sha256, 'x-amz-date': time };
    const names = Object.keys(headers).join(';');
    const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}`);
    const canonical = [method, path, search, ...lines, '', names, sha256].join('\n');
    const signed = ['AWS4-HMAC-SHA256', time, scope.join('/'), digest(canonical)].join('\n');
    const start: string | Buffer = `AWS4${secretAccessKey}`;
    const key = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part).digest(), start);
    const signature = hmac(key, signed).digest('hex');
    const credential = `${accessKeyId}/${scope.join('/')}`;
    const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
    return { ...headers, authorization };
  }

  #compareClocks(date: string | undefined): void {
    const offsetMs = Date.parse(date ?? '') - systemClock.now();
    if (Math.abs(offsetMs - this.clockOffsetMs) > MAX_SKEW_MS) this.clockOffsetMs = offsetMs;
  }

  async #currentCredentials(): Promise<S3Credentials> {
    const now = systemClock.now();
    if (this.#credentials === null || this.#credentials.expiresTs <= now)
      this.#credentials = {
        value: this.options.credentials(),
        expiresTs: now + CREDENTIALS_LIFETIME_MS,
      };
    try {
      return await this.#credentials.value;
    } catch (error) {
      this.#credentials = null;
      throw error;
    }
  }
}

type SignedParts = S3Request & { path: string; search: string };

function digest(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function hmac(key: string | Buffer, value: string): ReturnType<typeof createHmac> {
  return createHmac('sha256', key).update(value);
}

/** As RFC 3986 has it; the signature is over the same bytes that are sent. */
function encode(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

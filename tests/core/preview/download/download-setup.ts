import {
  AddressPolicy,
  compileAddressRanges,
  DEFAULT_IP_RANGE_BLACKLIST,
} from '../../../../src/core/net/address/address-policy.js';
import { testResolver } from '../../../support/test-resolver.js';
import type { Resolver } from '../../../../src/core/net/dns/dns-resolver.js';
import {
  Downloader,
  type Download,
  type DownloadRequest,
} from '../../../../src/core/preview/download/downloader.js';
import { userClient, FairQueue } from '../../../../src/core/base/fair-queue.js';
import { HttpClient } from '../../../../src/core/preview/download/http-client.js';
import { ApiError } from '../../../../src/core/base/errors/api-error.js';
import { directRoute } from '../../../../src/core/net/http/outbound-route.js';

export interface TestDownloaderOptions {
  /** Exceptions from the default blacklist; `127.0.0.1` by default, so `127.0.0.2` stays blocked. */
  allowed?: string[];
  hosts?: Record<string, string[]>;
  resolver?: Resolver;
  ca?: string;
  connectTimeoutMs?: number;
  responseTimeoutMs?: number;
  fetchTimeoutMs?: number;
  maxBytes?: number;
  acceptLanguage?: string[];
  queue?: FairQueue;
}

/** An address that no test allows. */
export const CANARY_ADDRESS = '127.0.0.2';

/** What is downloaded unless a test says more. */
export const PAGE = {
  kind: 'page',
  allowDataUrls: false,
  client: userClient('@alice:notary.test'),
} as const;

/** A downloader that may reach 127.0.0.1. */
export function createTestDownloader(options: TestDownloaderOptions = {}): Downloader {
  const hosts = new Map(Object.entries(options.hosts ?? {}));
  const resolver = options.resolver ?? testResolver({ hosts });
  const route = directRoute({
    resolver,
    policy: new AddressPolicy({
      blacklist: compileAddressRanges(DEFAULT_IP_RANGE_BLACKLIST),
      whitelist: compileAddressRanges(options.allowed ?? ['127.0.0.1']),
    }),
    connectTimeoutMs: options.connectTimeoutMs ?? 2000,
    ca: options.ca === undefined ? null : [options.ca],
  });
  const client = new HttpClient({
    route,
    userAgent: 'Vidimus (bot; +https://preview.example/)',
    acceptLanguage: options.acceptLanguage ?? ['en'],
    responseTimeoutMs: options.responseTimeoutMs ?? 2000,
  });
  return new Downloader({
    resolver,
    client,
    queue: options.queue ?? new FairQueue({ maxRunning: 32, maxRunningPerGroup: 3, maxWaiting: 100 }),
    fetchTimeoutMs: options.fetchTimeoutMs ?? 5000,
    maxBytes: options.maxBytes ?? 1_048_576,
  });
}

/** Status, code and text of a failed download; the download itself when it did not fail. */
export async function outcome(
  downloader: Downloader,
  request: Partial<DownloadRequest> & { url: string },
): Promise<Download | { status: number; errcode: string; message: string; reason: string | null }> {
  try {
    return await downloader.download({ ...PAGE, ...request });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, errcode, message, reason } = error;
    return { status, errcode, message, reason };
  }
}

import type { S3Client } from '@aws-sdk/client-s3';

import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';

/** Which store, and as whom. */
export interface S3Place {
  /** `null`: that of AWS for the region. */
  endpoint: string | null;
  region: string;
  bucket: string;
  /** Whether the bucket stands in the path instead of the host name. */
  pathStyle: boolean;
  /** Asked again every few minutes, so that a secret may change while the program runs. */
  credentials: () => Promise<{ accessKeyId: string; secretAccessKey: string }>;
}

/** What the client is made from. */
export interface S3ClientOptions extends S3Place {
  clock: Clock;
  logger: Logger;
  maxSockets: number;
  connectTimeoutMs: number;
}

/** The library with a client of it. */
export interface LoadedS3 {
  sdk: typeof import('@aws-sdk/client-s3');
  client: S3Client;
}

const CREDENTIALS_LIFETIME_MS = 5 * 60_000;
const MAX_ATTEMPTS = 2;

/** Loads the library, which takes time and memory that nobody without object storage should spend. */
export async function loadS3(options: S3ClientOptions): Promise<LoadedS3> {
  const sdk = await import('@aws-sdk/client-s3');
  const { endpoint, region, pathStyle, maxSockets, clock } = options;
  const agent = { keepAlive: true, maxSockets };
  const client = new sdk.S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    credentials: async () => {
      const expiration = new Date(clock.now() + CREDENTIALS_LIFETIME_MS);
      return { expiration, ...(await options.credentials()) };
    },
    maxAttempts: MAX_ATTEMPTS,
    // Checksums beyond the signature's are an extension that other stores do not know.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      httpAgent: agent,
      httpsAgent: agent,
      connectionTimeout: options.connectTimeoutMs,
    },
    logger: quiet(options.logger),
  });
  return { sdk, client };
}

/** What it says is told as an error, too, where it is one. */
function quiet(logger: Logger) {
  const tell = (message: unknown): void => logger.debug({ from: 'aws-sdk' }, String(message));
  const nothing = (): void => undefined;
  return { trace: nothing, debug: nothing, info: nothing, warn: tell, error: tell };
}

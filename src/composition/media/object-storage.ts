import { SECOND_MS } from '../../core/base/clock.js';
import { readFile } from 'node:fs/promises';

import { S3Bucket } from '../../core/net/object-storage/s3-bucket.js';
import type { BaseParts } from '../parts.js';

export type ObjectStorage = ReturnType<typeof createObjectStorage>;

/** Requests at once that store, list or delete, and that read: a client that reads slowly holds one. */
const REQUESTS = { timeoutMs: 10 * SECOND_MS, maxConcurrent: 32, maxReads: 256, maxWaiting: 500 };

export function createObjectStorage({ config, metrics }: BaseParts) {
  const { s3 } = config.media;
  const bucket = new S3Bucket({
    endpoint: s3.endpoint,
    region: s3.region,
    bucket: s3.bucket ?? '',
    // AWS wants the bucket in the host name, others in the path.
    pathStyle: s3.endpoint !== null,
    credentials: async () => ({
      accessKeyId: s3.access_key_id ?? '',
      secretAccessKey: s3.secret_access_key ?? (await readSecret(s3.secret_access_key_path ?? '')),
    }),
    ...REQUESTS,
    onRequest: (operation, outcome, seconds) => {
      metrics.mediaStoreRequests.inc({ operation, outcome });
      metrics.mediaStoreSeconds.observe({ operation }, seconds);
    },
  });
  const { origin, pathname } = new URL(s3.endpoint ?? 'https://aws');
  const address = s3.endpoint === null ? `AWS in ${s3.region}` : origin + pathname;
  return {
    bucket,
    prefix: s3.prefix,
    // As people know it.
    place: `s3://${s3.bucket}/${s3.prefix} at ${address}`,
    close: () => bucket.close(),
  };
}

async function readSecret(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).trim();
}

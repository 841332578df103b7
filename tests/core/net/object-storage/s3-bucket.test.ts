import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { S3Bucket, type S3BucketOptions } from '../../../../src/core/net/object-storage/s3-bucket.js';
import {
  ACCESS_KEY_ID,
  REGION,
  SECRET,
  objectStoreMissing,
  startObjectStore,
  type ObjectStore,
} from '../../../support/s3/object-store.js';

const missing = objectStoreMissing();

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe.skipIf(missing !== null)(`a bucket of a store that checks signatures ${missing ?? ''}`, () => {
  let store: ObjectStore;
  let asked: string[];

  const bucketOf = (other: Partial<S3BucketOptions> = {}): S3Bucket =>
    new S3Bucket({
      endpoint: store.url,
      region: REGION,
      bucket: 'media',
      pathStyle: true,
      credentials: async () => ({ accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET }),
      timeoutMs: 5000,
      maxConcurrent: 4,
      maxReads: 4,
      maxWaiting: 100,
      onRequest: (operation, outcome) => asked.push(`${operation} ${outcome}`),
      ...other,
    });

  beforeAll(async () => {
    asked = [];
    store = await startObjectStore();
    await store.makeBucket('media');
  });
  afterAll(() => store?.remove());

  it('stores, reads whole and in part, tells the size, lists and deletes', async () => {
    const bucket = bucketOf();
    const bytes = Buffer.from('0123456789'.repeat(1000));
    await bucket.put('a/whole', bytes, sha256(bytes));

    const whole = await bucket.get('a/whole', undefined);
    const part = await bucket.get('a/whole', 'bytes=10-14');

    expect([whole?.sizeBytes, await buffer(whole!.body)]).toEqual([10_000, bytes]);
    expect([part?.sizeBytes, (await buffer(part!.body)).toString()]).toEqual([10_000, '01234']);
    expect((await bucket.head('a/whole'))?.sizeBytes).toBe(10_000);
    expect((await bucket.list({ prefix: 'a/', after: '', limit: 9 })).keys).toEqual(['a/whole']);
    expect((await bucket.list({ prefix: 'a/', after: 'a/whole', limit: 9 })).keys).toEqual([]);
    await bucket.delete('a/whole');
    await bucket.delete('a/whole');
    expect([await bucket.get('a/whole', undefined), await bucket.head('a/whole')]).toEqual([null, null]);
    bucket.close();
  });

  it('refuses bytes of another digest', async () => {
    const bucket = bucketOf();
    const put = bucket.put('a/other', Buffer.alloc(300_000, 'x'), '0'.repeat(64));

    await expect(put).rejects.toMatchObject({ status: 503 });
    expect(await bucket.head('a/other')).toBeNull();
    bucket.close();
  });

  it.each<[string, Partial<S3BucketOptions>, string]>([
    [
      'a wrong secret',
      { credentials: async () => ({ accessKeyId: ACCESS_KEY_ID, secretAccessKey: 'wrong' }) },
      'The media store refuses: the secret access key is wrong',
    ],
    ['a wrong bucket', { bucket: 'other' }, 'The media store refuses: there is no such bucket'],
    ['a wrong region', { region: 'eu-west-1' }, 'The media store refuses: the region is wrong'],
  ])('%s is refused, and said', async (_name, other, detail) => {
    const bucket = bucketOf(other);

    const answers = await Promise.allSettled([
      bucket.list({ prefix: '', after: '', limit: 9 }),
      bucket.get('a', undefined),
      bucket.put('a', Buffer.from('a')),
    ]);

    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 'rejected',
        reason: { status: 503, reason: 'media_store_refused', retryAfterSeconds: 10, detail },
      });
      expect(inspect(answer, { depth: Infinity })).not.toMatch(/Signature=|Credential=/);
    }
    bucket.close();
  });

  it('whose clock is hours ahead of ours gets signatures of its own time', async () => {
    const ahead = await startObjectStore(3 * 3600);
    await ahead.makeBucket('media');
    const bucket = bucketOf({ endpoint: ahead.url });

    await bucket.put('a/dated', Buffer.from('0123'));

    expect((await bucket.head('a/dated'))?.sizeBytes).toBe(4);
    bucket.close();
    await ahead.remove();
  });

  it('readers that do not read hold their places and no others, and more than may wait are refused', async () => {
    const bucket = bucketOf({ maxReads: 1, maxConcurrent: 1, maxWaiting: 1 });
    const bytes = Buffer.alloc(4 * 1024 * 1024, 'y');
    await bucket.put('a/large', bytes, sha256(bytes));
    const held = await bucket.get('a/large', undefined);
    const waiting = bucket.get('a/large', 'bytes=0-1');

    await expect(bucket.get('a/large', undefined)).rejects.toMatchObject({
      status: 503,
      reason: 'overloaded',
    });
    expect((await bucket.head('a/large'))?.sizeBytes).toBe(bytes.length);
    // Back-pressure: little of it has come, since nobody reads.
    expect(held!.body.readableLength).toBeLessThan(1024 * 1024);
    held!.body.destroy();
    const part = await waiting;
    expect(await buffer(part!.body)).toEqual(Buffer.from('yy'));
    bucket.close();
  });

  it('a silent store is given up after the time limit, and so is one that is gone', async () => {
    const silent: Server = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const bucket = bucketOf({ endpoint: `http://127.0.0.1:${port}/`, timeoutMs: 200 });

    await expect(bucket.head('a')).rejects.toMatchObject({
      status: 503,
      reason: 'media_store_away',
      failure: 'timeout',
    });
    silent.close();
    bucket.close();
    const gone = bucketOf({ endpoint: 'http://127.0.0.1:1/' });
    await expect(gone.head('a')).rejects.toMatchObject({
      reason: 'media_store_away',
      failure: 'ECONNREFUSED',
    });
    gone.close();
    expect(asked).toContain('head timeout');
    expect(asked).toContain('head away');
  });
});

import { describe, expect, it } from 'vitest';

import { parseConfig } from '../../src/config/parse-config.js';

const S3 = { bucket: 'media', access_key_id: 'vidimus', secret_access_key: 'x:hunter2' };

const parse = (media: Record<string, unknown>) => parseConfig({ server_name: 'notary.test', media });

describe('settings of object storage', () => {
  it('want bucket, key and secret, each named', () => {
    const parsed = parse({ storage: 's3' });

    expect(parsed.ok ? [] : parsed.problems.map(({ path }) => path.join('.'))).toEqual([
      'media.s3.bucket',
      'media.s3.access_key_id',
      'media.s3.secret_access_key_path',
    ]);
  });

  it('take no prefix without a slash at its end, and warn of http beyond this machine', () => {
    expect(parse({ s3: { prefix: 'vidimus' } }).ok).toBe(false);
    expect(parse({ storage: 's3', s3: { ...S3, endpoint: 'http://s3.example.org/' } })).toMatchObject({
      ok: true,
      warnings: [{ path: ['media', 's3', 'endpoint'] }],
    });
    expect(parse({ storage: 's3', s3: { ...S3, endpoint: 'http://127.0.0.1:9000/' } })).toMatchObject({
      warnings: [],
    });
  });
});

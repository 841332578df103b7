import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { stringify } from 'yaml';

import {
  ACCESS_KEY_ID,
  SECRET,
  createClient,
  objectStoreMissing,
  startObjectStore,
  type ObjectStore,
} from '../support/s3/object-store.js';
import { runHere } from './in-process.js';
import { vidimus, type Finished } from './vidimus.js';

const missing = objectStoreMissing();

const FILES: Record<string, string> = {
  'url_cache/2026-11-19/AbcdefghijklmnoP': 'the first',
  'url_cache/2026-11-20/AbcdefghijklmnoP': 'the second'.repeat(50_000),
  'url_cache/2026-11-20/zzzzzzzzzzzzzzzz': 'the third',
  'url_cache_thumbnails/2026-11-20/zzzzzzzzzzzzzzzz/32-32-image-png-crop': 'a thumbnail',
};
const [FIRST, SECOND] = Object.keys(FILES) as [string, string];
const BYTES = Object.values(FILES).join('').length;

describe.skipIf(missing !== null)(`vidimus media copy ${missing ?? ''}`, () => {
  let store: ObjectStore;
  let client: S3Client;
  let cwd: string;

  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'vidimus-copy-'));
    store = await startObjectStore();
    await store.makeBucket('media');
    client = createClient(store.url);
    await writeFile(join(cwd, 's3.secret'), `${SECRET}\n`, { mode: 0o600 });
    await configure('config.yaml', 'disk');
    await configure('back.yaml', 'back');
    for (const [path, content] of Object.entries(FILES)) {
      await mkdir(dirname(join(cwd, 'disk', path)), { recursive: true });
      await writeFile(join(cwd, 'disk', path), content);
    }
  });
  afterAll(async () => {
    client?.destroy();
    await store?.remove();
    await rm(cwd, { recursive: true, force: true });
  });

  const configure = (name: string, folder: string, s3: Record<string, unknown> = {}) =>
    writeFile(
      join(cwd, name),
      stringify({
        server_name: 'notary.test',
        media_store_path: join(cwd, folder),
        media: {
          s3: {
            bucket: 'media',
            endpoint: store.url,
            prefix: 'copy/',
            access_key_id: ACCESS_KEY_ID,
            secret_access_key_path: join(cwd, 's3.secret'),
            ...s3,
          },
        },
      }),
    );
  const copy = (from: string, to: string, ...more: string[]): Promise<Finished> =>
    runHere(['media', 'copy', '--from', from, '--to', to, '-c', 'config.yaml', ...more], { cwd });
  const countsOf = ({ stdout }: Finished) => JSON.parse(stdout) as Record<string, unknown>;

  it('takes along whose the media is, and refuses to bring it where another database keeps its own', async () => {
    const id = (digit: string) => `${digit.repeat(32)}\n`;
    const mark = (folder: string, digit: string) => writeFile(join(cwd, folder, 'database-id'), id(digit));
    await configure('marked.yaml', 'marked', { prefix: 'marked/' });
    await mkdir(join(cwd, 'marked'));
    const markedCopy = () =>
      runHere(['media', 'copy', '--from', 'disk', '--to', 's3', '-c', 'marked.yaml'], { cwd });

    await mark('marked', 'a');
    expect((await markedCopy()).code).toBe(0);
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'media', Key: 'marked/database-id' }));
    expect(await Body?.transformToString()).toBe(id('a'));
    await mark('marked', 'b');
    const refused = await markedCopy();

    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^vidimus: The media in object storage belongs to another database/);
  });

  it('takes each file to object storage, reads it back, and does the rest after an interruption', async () => {
    const first = await copy('disk', 's3', '--start-at', 'url_cache/2026-11-20', '--json');
    await client.send(
      new PutObjectCommand({ Bucket: 'media', Key: `copy/${SECOND}`, Body: 'x'.repeat(500_000) }),
    );
    const second = await copy('disk', 's3', '--json');
    const third = await copy('disk', 's3');

    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(countsOf(first)).toMatchObject({ files: 3, copied: 3, same: 0, failed: 0 });
    // One that was left out, and one of the right size and wrong bytes.
    expect(countsOf(second)).toEqual({
      files: 4,
      copied: 2,
      same: 2,
      gone: 0,
      failed: 0,
      bytes: BYTES,
      failures: [],
    });
    expect([third.code, third.stdout]).toEqual([
      0,
      '0 copied, 4 were there, 488 KiB; each was read back and compared.\n',
    ]);
  });

  it('and back again, byte for byte', async () => {
    const back = await vidimus(
      ['media', 'copy', '--from', 's3', '--to', 'disk', '-c', 'back.yaml', '--json'],
      {
        cwd,
      },
    );

    expect([back.code, back.stderr]).toEqual([0, '']);
    expect(countsOf(back)).toMatchObject({ files: 4, copied: 4, bytes: BYTES });
    for (const [path, content] of Object.entries(FILES))
      expect(
        createHash('sha256')
          .update(await readFile(join(cwd, 'back', path)))
          .digest('hex'),
      ).toBe(createHash('sha256').update(content).digest('hex'));
  });

  it('ends with 1 when a file cannot be copied, and names it', async () => {
    await rm(join(cwd, 'back', dirname(FIRST)), { recursive: true, force: true });
    await mkdir(join(cwd, 'back', FIRST, 'in the way'), { recursive: true });

    const failed = await runHere(['media', 'copy', '--from', 's3', '--to', 'disk', '-c', 'back.yaml'], {
      cwd,
    });

    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain(FIRST);
    expect(failed.stderr).toContain('Some files were not copied. Run the command again.');
  });

  it.each<[string, Record<string, unknown>, number, RegExp]>([
    [
      'a wrong secret',
      { secret_access_key: 'wrong', secret_access_key_path: undefined },
      3,
      /the secret access key is wrong/,
    ],
    ['a bucket that is none', { bucket: 'other' }, 3, /there is no such bucket/],
    ['a store that is away', { endpoint: 'http://127.0.0.1:1/' }, 3, /does not answer: ECONNREFUSED/],
    ['no bucket at all', { bucket: undefined }, 2, /media\.s3 with bucket/],
  ])('ends with a sentence for %s, and config check says the same', async (_name, s3, code, sentence) => {
    await configure('wrong.yaml', 'disk', s3);
    const refusing = runHere(['media', 'copy', '--from', 'disk', '--to', 's3', '-c', 'wrong.yaml'], {
      cwd,
    });
    const checking = runHere(['config', 'check', '-c', 'wrong.yaml'], {
      cwd,
      env: { VIDIMUS__MEDIA__STORAGE: 's3' },
    });

    const [refused, checked] = await Promise.all([refusing, checking]);
    expect([refused.code, refused.stdout]).toEqual([code, '']);
    expect(refused.stderr).toMatch(sentence);
    expect(refused.stderr).not.toContain('wrong.yaml:');
    expect(checked.stdout + checked.stderr).toMatch(code === 3 ? sentence : /media\.s3\.bucket: is missing/);
    expect(checked.code === 0).toBe(_name === 'a store that is away');
  });
});

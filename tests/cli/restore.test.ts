import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { createLogger } from '../../src/core/base/logger.js';
import { openDatabase } from '../../src/core/store/db.js';
import { createTestDatabase, type TestDatabase } from '../support/store/databases.js';
import { runHere } from './in-process.js';
import { temporaryFolder, writeConfig } from './vidimus.js';

const FILES = ['AbcdefghijklmnoP', 'QrstuvwxyzabcdeF'].map((name) => `url_cache/2026-11-19/${name}`);
const [FIRST, SECOND] = FILES as [string, string];
const MEDIA_ID = '2026-11-19_AbcdefghijklmnoP';
/** Nobody listens there. */
const AWAY = {
  storage: 's3',
  s3: {
    bucket: 'media',
    endpoint: 'http://127.0.0.1:1/',
    access_key_id: 'someone',
    secret_access_key: 'a secret of no use',
  },
};

describe('vidimus db backup and restore with media of which something is in the way', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let source: TestDatabase;
  let target: TestDatabase;

  const inFolder = (...names: string[]) => join(folder.path, ...names);
  const backUp = (output: string) =>
    runHere(['db', 'backup', '-o', output, '--media', 'backup', '-c', 'config.yaml'], { cwd: folder.path });
  const restore = (...more: string[]) =>
    runHere(['db', 'restore', 'rows.gz', '-c', 'config.yaml', ...more], { cwd: folder.path });
  const configure = ({ options }: TestDatabase, settings: Record<string, unknown>) =>
    writeConfig(folder.path, { database: options, ...settings });
  const intoEmpty = async (settings: Record<string, unknown>) => {
    target = await createTestDatabase('sqlite');
    await configure(target, settings);
  };

  beforeAll(async () => {
    folder = await temporaryFolder();
    source = await createTestDatabase('sqlite');
    for (const path of FILES) {
      await mkdir(dirname(inFolder('media', path)), { recursive: true });
      await writeFile(inFolder('media', path), path);
    }
    const database = await openDatabase(source.options, createLogger({ level: 'silent' }));
    const row = { mediaId: MEDIA_ID, userId: '@a:b', createdTs: 1n, contentType: 'image/png', sha256: '' };
    await database.client.media.create({ data: { ...row, sizeBytes: FIRST.length } });
    await database.close();
    await configure(source, { media_store_path: 'media' });
    await backUp('rows.gz');
  });
  afterEach(() => target.cleanup());
  afterAll(async () => {
    await source.cleanup();
    await folder.remove();
  });

  it('goes on with the same command when a file could not be written, and says then what is to be said', async () => {
    await intoEmpty({ media_store_path: 'restored' });
    await mkdir(inFolder('restored', SECOND, 'in the way'), { recursive: true });

    const failed = await restore('--media', 'backup', '--json');
    await rm(inFolder('restored', SECOND), { recursive: true });
    const again = await restore('--media', 'backup', '--json');

    expect([failed.code, failed.stdout]).toEqual([1, '']);
    expect(failed.stderr).toContain(SECOND);
    expect(failed.stderr).toMatch(/Some media was not copied\. Run the same command again/);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(again.stdout)).toMatchObject({ missing_media: [] });
    expect(await readFile(inFolder('restored', SECOND), 'utf8')).toBe(SECOND);
  });

  it('ends with exit code 3 when object storage is away, and goes on without media', async () => {
    await intoEmpty({ media: AWAY });
    const sentence =
      /^vidimus: s3:\/\/media\/\S* at http:\/\/127\.0\.0\.1:1\/: .*ECONNREFUSED.*the same command/m;

    const away = await restore('--media', 'backup');
    await configure(target, { media_store_path: 'elsewhere' });
    const rows = await restore();

    expect([away.code, away.stderr]).toEqual([3, expect.stringMatching(sentence)]);
    expect(rows).toMatchObject({ code: 0, stdout: expect.stringContaining(MEDIA_ID) });
  });

  it('copies nothing beside a database that is not empty', async () => {
    await intoEmpty({ media_store_path: 'none' });
    await restore();

    const refused = await restore('--media', 'backup');

    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('The target is not empty')]);
    expect(existsSync(inFolder('none', FIRST))).toBe(false);
  });

  it('says of a backup that its rows are written, and how to go on with media', async () => {
    target = await createTestDatabase('sqlite');
    await configure(target, { media: AWAY });

    const away = await backUp('other.gz');

    expect([away.code, away.stderr]).toEqual([3, expect.stringMatching(/ECONNREFUSED.*another --output/)]);
    expect(existsSync(inFolder('other.gz'))).toBe(true);
  });
});

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { objectStoreMissing, startObjectStore, type ObjectStore } from '../../support/s3/object-store.js';
import { startTestService, type TestService } from '../../support/service.js';
import { testEngines, type TestEngine } from '../../support/store/databases.js';

const ANOTHERS = /belongs to another database.*database-id/s;
const missing = objectStoreMissing();

/** Services whose databases differ and whose media lies in one place. */
function rivals(settings: () => Record<string, unknown>) {
  const running: TestService[] = [];
  const start = async (engine: TestEngine = 'sqlite'): Promise<TestService> => {
    const service = await startTestService({ engine, settings: settings() });
    running.push(service);
    return service;
  };
  const end = async (): Promise<void> => {
    for (const service of running.splice(0)) await service.remove();
  };
  return { start, end };
}

async function sweep({ context }: TestService) {
  const { collector } = context.services.previews;
  return (await collector.runs.start(context.parts.clock.now(), 'alice')).finished;
}

describe('a folder of media', () => {
  let folder: string;
  const { start, end } = rivals(() => ({ media_store_path: folder }));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vidimus-shared-media-'));
  });
  afterEach(async () => {
    await end();
    await rm(folder, { recursive: true, force: true });
  });

  it('belongs to the database that used it first; the start over another one is refused with the way out', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(ANOTHERS);

    const again = await first.restart();
    expect((await fetch(`${again.url}/health/ready`)).status).toBe(200);
    await again.stop();
  });

  it.each(testEngines().filter((engine) => engine === 'postgresql'))(
    'is shared by all instances of one database, on %s',
    async (engine) => {
      const first = await start(engine);
      await (await first.beside()).stop();
      expect(await readFile(join(folder, 'database-id'), 'utf8')).toMatch(/^[0-9a-f]{32}\n$/);
    },
  );

  it('that has come to belong to another database is not swept', async () => {
    const first = await start();
    await writeFile(join(folder, 'database-id'), `${'f'.repeat(32)}\n`);

    expect(await sweep(first)).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(ANOTHERS) });
    const checks = await first.context.services.health.look();
    expect(checks.find(({ id }) => id === 'media_storage')).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/another database/),
      advice: expect.stringMatching(/database-id/),
    });
  });
});

describe.skipIf(missing !== null)(`a prefix of a bucket ${missing ?? ''}`, () => {
  let store: ObjectStore;
  let s3: Record<string, unknown>;
  const { start, end } = rivals(() => ({ media: { storage: 's3', s3 } }));

  beforeAll(async () => {
    store = await startObjectStore();
    s3 = { prefix: 'vidimus/', timeout: '3s', ...(await store.makeBucket('media')) };
  });
  afterEach(end);
  afterAll(() => store?.remove());

  it('belongs to the database that used it first; the start over another one is refused', async () => {
    await start();
    await expect(start()).rejects.toThrow(ANOTHERS);

    s3 = { ...s3, prefix: 'other/' };
    expect((await fetch(`${(await start()).url}/health/ready`)).status).toBe(200);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { readReferencedFiles } from '../../../src/config/input/referenced-files.js';
import { parseConfig } from '../../../src/config/parse-config.js';
import { AppContext } from '../../../src/composition/context.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { Service } from '../../../src/server/service.js';
import { makeUiFolder } from './admin-kit.js';

describe("the operators' side while the store is away", () => {
  let service: Service;
  let url: string;
  let folder: string;
  let ui: Awaited<ReturnType<typeof makeUiFolder>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vidimus-away-'));
    ui = await makeUiFolder();
    const parsed = parseConfig({
      server_name: 'notary.test',
      signing_key_path: join(folder, 'signing.key'),
      media_store_path: join(folder, 'media'),
      listeners: [{ port: 0, resources: ['admin'] }],
      database: { engine: 'postgresql', url: 'postgresql://vidimus:hunter2@127.0.0.1:1/notary' },
    });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const loaded = { config: parsed.config, files: readReferencedFiles(parsed.config).files };
    const logger = createLogger({ level: 'silent' });
    const context = await AppContext.create(loaded, { logger, uiFolder: ui.path });
    service = await Service.start(context);
    url = service.addresses()[0]?.url ?? '';
    void context.open();
  });
  afterAll(async () => {
    await service.stop();
    await ui.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it('still serves the page, which asks again until it can go on', async () => {
    expect((await fetch(`${url}/admin/`)).status).toBe(200);
    expect((await fetch(`${url}/admin/api`)).status).toBe(200);
    expect((await fetch(`${url}/admin/assets/a-1.js`)).status).toBe(200);
  });

  it('names the engine, the error and two likely causes, and not where the store is', async () => {
    const answer = await vi.waitFor(
      async () => {
        const response = await fetch(`${url}/admin/session`);
        const text = await response.text();
        expect(text).toContain('Nothing answers');
        return { response, text };
      },
      { timeout: 10_000 },
    );

    expect(answer.response.status).toBe(503);
    expect(answer.response.headers.get('retry-after')).toBe('2');
    expect(JSON.parse(answer.text)).toEqual({
      errors: [
        {
          message: 'PostgreSQL: Nothing answers at the address of the database.',
          extensions: {
            code: 'NOT_READY',
            requestId: answer.response.headers.get('x-request-id'),
            retryAfterMs: 2000,
            store: 'PostgreSQL',
            fault: 'Nothing answers at the address of the database.',
            causes: [
              'The database server is not running, or still starting.',
              'The host or port in database.url is wrong, or the name is not known to DNS.',
            ],
          },
        },
      ],
    });
    for (const secret of ['hunter2', '127.0.0.1', '/notary']) expect(answer.text).not.toContain(secret);
  });

  it('answers everything else that needs the store the same way', async () => {
    expect((await fetch(`${url}/admin/api/media/x`)).status).toBe(503);
  });
});

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { PlainSql } from '../../../src/core/store/sql/plain-sql.js';
import { createToken, preview } from '../../support/clients/preview-client.js';
import { page, startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import { startTestService, type TestService } from '../../support/service.js';
import { testEngines } from '../../support/store/databases.js';

const SHARED = { sqlite: /work_lease/, postgresql: /work_lease/ };

describe.each(testEngines())('statements of a new preview on %s', (engine) => {
  let service: TestService;
  let site: RemoteSite;
  let token: string;

  beforeAll(async () => {
    service = await startTestService({ engine });
    site = await startRemoteSite();
    site.pages.set('/new', page('<title>New</title>'));
    site.pages.set('/gone', page('gone', { status: 404 }));
    token = await createToken(service);
  });
  afterAll(async () => {
    await service.remove();
    await site.close();
  });

  it.each(['/new', '/gone'])(
    '%s: one before the download for all instances, and none on SQLite',
    async (path) => {
      const query = vi.spyOn(PlainSql.prototype, 'query');
      try {
        await preview(service, token, site.url(path));
        const texts = query.mock.calls.map(([{ strings }]) => strings.join('?'));
        expect(texts.filter((text) => SHARED[engine].test(text))).toHaveLength(engine === 'sqlite' ? 0 : 1);
      } finally {
        query.mockRestore();
      }
    },
  );
});

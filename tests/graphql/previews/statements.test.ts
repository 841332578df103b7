import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createPreviewAdmin } from '../../../src/composition/operators.js';
import { startTestService, type TestService } from '../../support/service.js';
import { countingDatabase } from '../count-statements.js';
import { OperationRunner } from '../run-operation.js';
import { numberedMediaId } from './numbered-media-id.js';

const ROWS = 100;

describe('a page of 100', () => {
  let service: TestService;
  let runner: OperationRunner;
  let statements: () => number;

  beforeAll(async () => {
    service = await startTestService();
    const { context } = service;
    const counting = countingDatabase(context.parts.database);
    ({ statements } = counting);
    const { database } = counting;
    const previews = createPreviewAdmin(
      context.config,
      { ...context.parts, signingKeys: context.services.signing.signingKeys, database },
      { ...context.services, previewer: context.services.pipeline.previewer },
    );
    runner = new OperationRunner({ ...context.services.operators, database, previews });
    await fill();
  });
  afterAll(() => service.remove());

  async function fill(): Promise<void> {
    const { client } = service.context.parts.database;
    const ids = Array.from({ length: ROWS }, (_, index) => numberedMediaId(index));
    await client.media.createMany({
      data: ids.map((mediaId) => ({
        mediaId,
        userId: '@a:test',
        createdTs: 1n,
        contentType: 'image/png',
        sniffedType: 'image/png',
        sizeBytes: 1,
        sha256: '',
        urlCache: 'https://x.test/',
      })),
    });
    await client.mediaThumbnail.createMany({
      data: ids.map((mediaId) => ({
        mediaId,
        width: 96,
        height: 96,
        method: 'crop',
        contentType: 'image/png',
        sizeBytes: 1,
      })),
    });
    await client.previewCache.createMany({
      data: ids.map((mediaId) => ({
        url: `https://x.test/${mediaId}`,
        urlSha256: mediaId,
        responseCode: 200,
        expiresTs: 2n,
        openGraph: '{"og:title":"T"}',
        mediaId,
        createdTs: 1n,
        downloadTs: 1n,
        imageMediaId: mediaId,
      })),
    });
  }

  async function statementsOf(query: string): Promise<number> {
    const before = statements();
    const { errors } = await runner.run(query);
    expect(errors).toEqual([]);
    return statements() - before;
  }

  it('previews with values, media, image, thumbnails and users takes seven statements', async () => {
    // Keys of the page, their rows, the count; answers; media; thumbnails; previews that use them.
    expect(
      await statementsOf(`{ previews(first: 100) { totalCount nodes { title properties { key } raw
        media { contentType } image { thumbnails { viewPath } previews { title } } } } }`),
    ).toBe(7);
  });

  it('media with thumbnails and users takes five statements', async () => {
    expect(
      await statementsOf(`{ media(first: 100) { totalCount nodes { mediaId viewPath
        thumbnails { width } previews { url } } } }`),
    ).toBe(5);
  });
});

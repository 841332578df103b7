import { describe, expect, it } from 'vitest';

import { PreviewStore } from '../../../../../src/core/preview/pipeline/preview-store.js';
import { testEngines } from '../../../../support/store/databases.js';
import { page } from '../../../../support/origins/remote-site.js';
import { startPreviewKit, tagged } from '../preview-kit.js';
import { setUp } from '../../../../support/set-up.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe.each(testEngines())('stored previews (SPEC §4.7.3), on %s', (engine) => {
  const kit = setUp(() => startPreviewKit({ engine }));
  let number = 0;

  const now = () => kit.service.clock.now();

  /** Stores rows for a new address, whose page says "fresh"; the memory knows nothing of it. */
  async function stored(...rows: { age: number; lives?: number; code?: number; text?: string }[]) {
    number += 1;
    const url = kit.serve(`/row/${number}`, tagged({ 'og:title': 'fresh' }));
    const store = new PreviewStore(kit.service.context.parts.database);
    for (const { age, lives = HOUR_MS, code = 200, text } of rows) {
      const downloadTs = now() - age;
      await store.save({
        url,
        responseCode: code,
        etag: null,
        openGraph: text ?? `{"og:title":"${age}"}`,
        mediaId: '2027-01-15_abcdefghijklmnop',
        createdTs: downloadTs,
        downloadTs,
        expiresTs: downloadTs + lives,
      });
    }
    return url;
  }
  const titleAt = async (url: string, ts?: number) => {
    kit.service.context.services.previews.cache.forget(url);
    return (await kit.preview(url, ts)).body['og:title'];
  };

  it('a fresh row is answered byte for byte, without a request', async () => {
    const text = '{"og:title":"\\u20ac ä 😀","x":[1, 2.50],"__proto__":null}';
    const url = await stored({ age: 1000, text });
    const answer = await kit.preview(url);
    expect([answer.status, answer.text]).toEqual([200, text]);
    expect(kit.hits(`/row/${number}`)).toEqual([]);
  });

  it('expiry must be greater than ts', async () => {
    expect(await titleAt(await stored({ age: HOUR_MS }))).toBe('fresh');
    expect(await titleAt(await stored({ age: HOUR_MS - 1 }))).toBe(String(HOUR_MS - 1));
  });

  it('a message of long ago is answered from a row that has expired since', async () => {
    const url = await stored({ age: 2 * HOUR_MS });
    expect(await titleAt(url, now() - HOUR_MS - 1)).toBe(String(2 * HOUR_MS));
    expect(await titleAt(url)).toBe('fresh');
  });

  it('a preview outlives a restart to the byte, {} too, until its hour is over', async () => {
    const page1 = kit.serve('/kept', tagged({ 'og:title': 'Käpt "n" 😀 \u2028', 'og:x': '</script>' }));
    const page2 = kit.serve('/kept-empty', '');
    const before = [await kit.preview(page1), await kit.preview(page2)];
    await kit.restart();
    kit.service.clock.advance(HOUR_MS - 1);
    const after = [await kit.preview(page1), await kit.preview(page2)];
    expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text));
    expect(after[1]!.text).toBe('{}');
    expect(kit.hits('/kept')).toEqual(['/kept', '/kept-empty']);

    await kit.restart();
    kit.service.clock.advance(1);
    await kit.preview(page1);
    expect(kit.hits('/kept')).toEqual(['/kept', '/kept-empty', '/kept']);
  });

  it('keep etag, code, media and times', async () => {
    const url = kit.serve(
      '/columns',
      page(tagged({ 'og:title': 'C' }), { status: 203, headers: { etag: '"v1"' } }),
    );
    await kit.preview(url);
    const { client } = kit.service.context.parts.database;
    const row = await client.previewCache.findFirstOrThrow({ where: { url } });
    expect(row).toMatchObject({ responseCode: 203, etag: '"v1"', createdTs: BigInt(now()) });
    expect(row.expiresTs).toBe(BigInt(now() + HOUR_MS));
    const media = await client.media.findUniqueOrThrow({ where: { mediaId: row.mediaId } });
    expect(media).toMatchObject({ userId: '@alice:notary.test', urlCache: url, contentType: 'text/html' });
  });

  it.each<[unknown, number]>([
    [7200, 2 * HOUR_MS],
    [100_000, DAY_MS],
    [0, 0],
    ['soon', HOUR_MS],
  ])('an oEmbed cache_age of %j gives a life of %d ms', async (cacheAge, livesMs) => {
    const name = `/age/${String(cacheAge)}`;
    kit.serve(
      `${name}.json`,
      page(JSON.stringify({ version: '1.0', type: 'link', title: 'A', cache_age: cacheAge }), {
        type: 'application/json',
      }),
    );
    const link = `<link rel="alternate" type="application/json+oembed" href="${name}.json">`;
    const url = kit.serve(name, `<head>${link}</head>`);
    expect((await kit.preview(url)).body['og:title']).toBe('A');
    const { client } = kit.service.context.parts.database;
    const row = await client.previewCache.findFirstOrThrow({ where: { url } });
    expect(Number(row.expiresTs - row.createdTs)).toBe(livesMs);
  });
});

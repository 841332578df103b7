import { beforeEach, describe, expect, it } from 'vitest';

import { ApiError } from '../../../../src/core/base/errors/api-error.js';
import type { RenderedImage } from '../../../../src/core/preview/media/image/thumbnailer.js';
import type { NewMedia, SaveOptions } from '../../../../src/core/preview/media/media-store.js';
import type { MediaInspector } from '../../../../src/core/preview/preview-worker.js';
import { testEngines } from '../../../support/store/databases.js';
import { DETAILS, createInspector, createMediaKit, type MediaWing } from './media-kit.js';
import { sampleImage } from './sample-images.js';
import { setUpEach } from '../../../support/set-up.js';

const SMALL = { width: 96, height: 96, method: 'crop' } as const;
/** Sizes that differ for the photograph. */
const SIZES = 4;

/** The real work, where no image is decoded before `open`. */
interface HeldInspector extends MediaInspector {
  open: () => void;
  /** How many images were to be decoded. */
  asked: number;
}

function holdThumbnails(): HeldInspector {
  const real = createInspector();
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const held: HeldInspector = {
    ...real,
    render: async (bytes, job) => {
      held.asked += 1;
      await opened;
      return real.render(bytes, job);
    },
    open: () => open(),
    asked: 0,
  };
  return held;
}

describe.each(testEngines())('thumbnails of a new image, on %s', (engine) => {
  const kit = setUpEach(() => createMediaKit(engine));
  let held: HeldInspector;
  let photo: Buffer;

  beforeEach(async () => {
    held = holdThumbnails();
    photo = await sampleImage(600, 400).jpeg().toBuffer();
  });

  const { signal } = new AbortController();
  const save = (wing: MediaWing, options: Partial<Pick<SaveOptions, 'client'>> = {}): Promise<NewMedia> =>
    wing.store.save({ body: photo }, DETAILS, { thumbnails: true, signal, ...options });
  const countRows = () => kit.database.client.mediaThumbnail.count();
  const complaints = () => kit.logs.filter((line) => /"level":"(?:warn|error)"/.test(line));

  function breakPixels(): void {
    const scan = photo.indexOf(Buffer.from([0xff, 0xda])) + 20;
    // A code of ones alone means nothing.
    photo = Buffer.concat([photo.subarray(0, scan), Buffer.from('ff00'.repeat(10_000), 'hex')]);
  }

  async function leaveNothing(how: string): Promise<void> {
    const wing = kit.wing(held);
    const { mediaId } = await save(wing);
    const { media } = kit.database.client;
    if (how === 'has gone') await media.delete({ where: { mediaId } });
    else await media.update({ where: { mediaId }, data: { fileRemovedTs: 1n } });

    held.open();
    await wing.making.settle();

    expect(kit.listFiles()).toEqual([expect.stringMatching(/^url_cache\//)]);
    expect(await countRows()).toBe(0);
    expect(complaints()).toEqual([]);
  }

  const FORMATS = ['jpeg', 'png'] as const;
  it.each(FORMATS)('of %s follow once it is stored; requests for one wait for them', async (format) => {
    const wing = kit.wing(held);
    photo = await sampleImage(600, 400).toFormat(format).toBuffer();

    const saved = await save(wing);
    expect(saved).toMatchObject({ width: 600, height: 400 });
    expect(await countRows()).toBe(0);
    const asking = [1, 2, 3].map(() => wing.reader(false).findThumbnail(saved.mediaId, SMALL));
    asking.push(wing.reader(true).findThumbnail(saved.mediaId, SMALL));
    held.open();

    for (const found of await Promise.all(asking)) expect(found.contentType).toMatch(/^image\/(?:jpeg|png)$/);
    expect(held.asked).toBe(1);
    expect(await countRows()).toBe(SIZES);
  });

  it('of somebody who has few waiting are not left to demand, while another has as many as may be', async () => {
    const wing = kit.wing(held, 4);
    const [alice, bob] = ['user:@alice:notary.test', 'user:@bob:notary.test'];
    for (let image = 0; image < 12; image += 1) await save(wing, { client: alice });
    const { mediaId } = await save(wing, { client: bob });
    held.open();
    await wing.making.settle();

    expect((await kit.rows.listThumbnails(mediaId)).length).toBe(SIZES);
  });

  it.each(['is marked as removed', 'has gone'])('leave nothing when it %s meanwhile', leaveNothing);

  const failing = (reason: string) => () =>
    Promise.reject(new ApiError(500, 'Internal server error', { reason }));

  /** How askers fare whose image, left to demand, is worked on in these ways, one after the other. */
  async function askInTurn(makers: readonly (() => Promise<RenderedImage>)[]): Promise<string[]> {
    const left = [...makers];
    const wing = kit.wing({
      ...held,
      render: (bytes, job) => left.shift()?.() ?? held.render(bytes, job),
    });
    await wing.making.close();
    const { mediaId } = await save(wing);
    held.open();
    const answers: string[] = [];
    for (let times = 0; times <= makers.length; times += 1) {
      const ask = wing.reader(true).findThumbnail(mediaId, SMALL);
      answers.push(
        await ask.then(
          () => 'made',
          (error: ApiError) => `${error.status} ${error.reason}`,
        ),
      );
    }
    return answers;
  }

  it.each([
    ['one death of the thread is not held against it', [failing('worker_died')], ['500 worker_died', 'made']],
    [
      'two are',
      [failing('worker_died'), failing('worker_died')],
      ['500 worker_died', '500 worker_died', '404 no_thumbnail'],
    ],
  ] as const)('left to demand: %s', async (_rule, makers, answers) => {
    expect(await askInTurn(makers)).toEqual(answers);
  });

  it('of an image whose pixels turn out broken are tried once, and its size is forgotten', async () => {
    breakPixels();
    const wing = kit.wing(held);

    const { mediaId, width } = await save(wing);
    const asking = [1, 2].map(() => wing.reader(false).findThumbnail(mediaId, SMALL));
    held.open();

    for (const answer of await Promise.allSettled(asking))
      expect(answer).toMatchObject({ reason: { status: 404 } });
    expect(held.asked).toBe(1);
    expect([width, (await kit.rows.find(mediaId))!.width]).toEqual([600, null]);
    await expect(wing.reader(false).findThumbnail(mediaId, SMALL)).rejects.toMatchObject({ status: 404 });
    expect(complaints()).toEqual([]);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { userAsker, type Asker } from '../../../../src/core/base/places/asker.js';
import type { Downloader } from '../../../../src/core/preview/download/downloader.js';
import {
  page,
  redirect,
  startRemoteSite,
  type RemoteSite,
  type SitePage,
} from '../../../support/origins/remote-site.js';
import { createTestDownloader, outcome } from './download-setup.js';

let site: RemoteSite;
let downloader: Downloader;

/** A page that answers when it is told to. */
function heldPage(): { page: SitePage; asked: Promise<void>; answer: () => void; gone: Promise<void> } {
  let answer = (): void => {};
  let asked = (): void => {};
  let gone = (): void => {};
  const wasAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const hasGone = new Promise<void>((resolve) => {
    gone = resolve;
  });
  return {
    page: (request, response) => {
      asked();
      answer = () => page('held')(request, response);
      response.once('close', gone);
    },
    asked: wasAsked,
    answer: () => answer(),
    gone: hasGone,
  };
}

beforeAll(async () => {
  site = await startRemoteSite();
});
afterAll(() => site.close());
beforeEach(() => {
  downloader = createTestDownloader();
});
afterEach(() => {
  site.pages.clear();
  site.hits.length = 0;
});

describe('simultaneous downloads of one address', () => {
  it('make one request, whatever their fragments', async () => {
    const held = heldPage();
    site.pages.set('/a', held.page);

    const all = ['', '#x', '#y'].map((part) => outcome(downloader, { url: site.url(`/a${part}`) }));
    await held.asked;
    held.answer();

    expect(await Promise.all(all)).toMatchObject([{ sizeBytes: 4 }, { sizeBytes: 4 }, { sizeBytes: 4 }]);
    expect(site.hits).toHaveLength(1);
  });

  it('share a failure, and the next one asks again', async () => {
    site.pages.set('/a', page('no', { status: 500 }));

    const both = await Promise.all([1, 2].map(() => outcome(downloader, { url: site.url('/a') })));
    site.pages.set('/a', page('yes'));
    const later = await outcome(downloader, { url: site.url('/a') });

    expect(both).toMatchObject([{ status: 502 }, { status: 502 }]);
    expect(later).toMatchObject({ status: 200 });
    expect(site.hits).toHaveLength(2);
  });

  it('judge every hop each for themselves, also those before they joined', async () => {
    const held = heldPage();
    site.pages.set('/a', redirect('/b'));
    site.pages.set('/b', held.page);
    const seen: string[] = [];

    const first = outcome(downloader, { url: site.url('/a'), onHop: (hop) => void seen.push(`1 ${hop}`) });
    await held.asked;
    const second = outcome(downloader, { url: site.url('/a'), onHop: (hop) => void seen.push(`2 ${hop}`) });
    held.answer();
    await Promise.all([first, second]);

    expect(seen).toEqual(['1 /a', '1 /b', '2 /a', '2 /b'].map((line) => line.replace('/', site.url('/'))));
  });

  it('go on for the others when one gives up, and end when the last has gone', async () => {
    const held = heldPage();
    site.pages.set('/a', held.page);
    const [one, two] = [new AbortController(), new AbortController()];

    const first = outcome(downloader, { url: site.url('/a'), signal: one.signal });
    const second = outcome(downloader, { url: site.url('/a'), signal: two.signal });
    await held.asked;
    one.abort();
    expect(await first).toMatchObject({ reason: 'aborted' });
    expect(site.connections.open).toBe(1);
    two.abort();

    expect(await second).toMatchObject({ reason: 'aborted' });
    await held.gone;
  });

  it('are joined by nobody else through one who has given up', async () => {
    const held = heldPage();
    site.pages.set('/a', held.page);
    const [one, two] = [new AbortController(), new AbortController()];
    let linked = 0;
    const asker = (key: string): Asker => ({
      ...userAsker(key, 'q'),
      eachOther: () => {
        linked += 1;
        return () => void (linked -= 1);
      },
    });

    const url = site.url('/a');
    const first = outcome(downloader, { url, signal: one.signal, asker: asker('alice') });
    const second = outcome(downloader, { url, signal: two.signal, asker: asker('bob') });
    await held.asked;
    expect(linked).toBe(2);
    one.abort();
    await first;
    expect(linked).toBe(1);
    two.abort();
    await second;

    expect(linked).toBe(0);
  });
});

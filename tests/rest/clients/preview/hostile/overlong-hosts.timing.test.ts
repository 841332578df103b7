import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { page } from '../../../../support/origins/remote-site.js';
import { startPreviewKit, tagged, type PreviewKit } from '../preview-kit.js';

const ROUNDS = 8;
/** Processor time of all threads, in ten requests with an address of the same length and an ordinary host. */
const MOST = { tenRequests: 1.7, tenTargets: 3, tenRedirects: 4, page: 2, oembed: 2 };

/** Characters of which each is another one: a host of them takes the parser a time that grows with its square. */
const ideographs = (count: number): string =>
  Array.from({ length: count }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000))).join('');
/** Marks that have to change places with each other, which takes a time that grows likewise. */
const marks = (count: number): string => `a${'\u0301\u0316'.repeat(count / 2)}`;

/** Head of an answer, of a request. */
const HEAD_BYTES = 16_000;
const HOSTS: [what: string, host: string][] = [
  ['ideographs', ideographs(HEAD_BYTES / 3)],
  ['marks', marks(8_000)],
];

/** As header bytes. */
const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

let kit: PreviewKit;
let ordinaryMs: number;
beforeAll(async () => {
  kit = await startPreviewKit();
  await kit.preview(kit.serve('/warm', tagged({ 'og:title': 'T', 'og:image': '/none.png' })));
  ordinaryMs = await leastCpuMs(async () => {
    for (let request = 0; request < 10; request += 1)
      await statusOf(`/nothing?url=http://site.example/${'%E4%B8%80'.repeat((HEAD_BYTES - 200) / 9)}`);
  });
});
afterAll(() => kit.remove());

async function statusOf(path: string): Promise<number> {
  const answer = await fetch(`${kit.service.url}${path}`);
  await answer.text();
  return answer.status;
}

/** Of some rounds that which others disturbed least. */
async function leastCpuMs(work: (round: number) => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    await work(round);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

describe.each(HOSTS)('a host name of %s, longer than any, holds up nobody', (what, host) => {
  const whole = Math.floor((HEAD_BYTES - 200) / (encodeURIComponent(host).length / host.length));
  const address = `http://${encodeURIComponent(host.slice(0, whole))}/`;

  it.each(['/_svc/media/v3/preview_url', '/nothing'])(
    'in the query of %s, without an account',
    async (path) => {
      const ms = await leastCpuMs(async () => {
        for (let request = 0; request < 10; request += 1) {
          expect(await statusOf(`${path}?url=${address}`)).toBeOneOf([401, 404]);
        }
      });

      expect(ms / ordinaryMs).toBeLessThan(MOST.tenRequests);
    },
  );

  it('as target: 502, as what no name server knows', async () => {
    const ms = await leastCpuMs(async (round) => {
      for (let target = 0; target < 10; target += 1) {
        const { status } = await kit.preview(`http://${round}${target}${host.slice(0, 1_700)}/`);
        expect(status).toBe(502);
      }
    });

    expect(ms / ordinaryMs).toBeLessThan(MOST.tenTargets);
  });

  it('where a target redirects to: 502', async () => {
    const location = latin1(`http://${host}/`).slice(0, HEAD_BYTES);
    const ms = await leastCpuMs(async (round) => {
      for (let target = 0; target < 10; target += 1) {
        const path = `/redirect/${what}/${round}/${target}`;
        const { status } = await kit.preview(
          kit.serve(path, page('', { status: 302, headers: { location } })),
        );
        expect(status).toBe(502);
      }
    });

    expect(ms / ordinaryMs).toBeLessThan(MOST.tenRedirects);
  });

  it('of images, links and the base that a page names: none of them', async () => {
    const long = `http://${host}${host}${host}`.slice(0, 60_000);
    const ms = await leastCpuMs(async (round) => {
      const html = `<base href="${long.slice(0, 8_000)}"><link rel="canonical" href="${long.slice(0, 8_000)}">`;
      const tags = tagged({
        'og:title': 'T',
        'og:image': `${long}/${round}.png`,
        'og:image:url': `${long}/b.png`,
      });
      const { status, body } = await kit.preview(kit.serve(`/page/${what}/${round}`, html + tags));
      expect([status, body['og:title'], body['og:image']]).toEqual([200, 'T', undefined]);
    });

    expect(ms / ordinaryMs).toBeLessThan(MOST.page);
  });

  it('in the texts and addresses of an oEmbed answer: none of them', async () => {
    const ms = await leastCpuMs(async (round) => {
      const oembed = {
        type: 'rich',
        title: host.repeat(8),
        author_name: host.repeat(8),
        thumbnail_url: `http://${host.repeat(8)}/`,
        html: '<p>some text</p>',
      };
      kit.serve(`/oembed/${round}`, page(JSON.stringify(oembed), { type: 'application/json' }));
      const link = `<link rel="alternate" type="application/json+oembed" href="/oembed/${round}">`;
      const { status } = await kit.preview(kit.serve(`/oembed-page/${what}/${round}`, link));
      expect(status).toBe(200);
    });

    expect(ms / ordinaryMs).toBeLessThan(MOST.oembed);
  });
});

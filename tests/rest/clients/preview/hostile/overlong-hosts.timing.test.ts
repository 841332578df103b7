import { beforeAll, describe, expect, it } from 'vitest';

import { page } from '../../../../support/origins/remote-site.js';
import { SITE_NAME, startPreviewKit, tagged } from '../preview-kit.js';
import { setUp } from '../../../../support/set-up.js';

const ROUNDS = 8;
/** While it seems too long, since others may have disturbed all of them. */
const MOST_ROUNDS = 40;
/** Processor time of all threads over that of the same work with an ordinary host in an address of the same length. */
const MOST_TIMES = 1.6;

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
const ORDINARY_HOST = 'site.example';
const TEN = Array.from({ length: 10 }, (_, at) => at);

/** As header bytes. */
const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

const kit = setUp(() =>
  startPreviewKit({
    settings: { dns: { hosts: { [SITE_NAME]: ['127.0.0.1'], [ORDINARY_HOST]: ['127.0.0.1'] } } },
  }),
);
beforeAll(async () => {
  await kit.preview(kit.serve('/warm', tagged({ 'og:title': 'T', 'og:image': '/none.png' })));
});

async function statusOf(path: string): Promise<number> {
  const answer = await fetch(`${kit.service.url}${path}`);
  await answer.text();
  return answer.status;
}

/** Nobody listens at the ordinary one; the other is no name. */
const failureOf = (host: string): number => (host.startsWith(ORDINARY_HOST) ? 500 : 502);

/** Each once. */
const statusesOf = (answers: readonly { status: number }[]): number[] => [
  ...new Set(answers.map(({ status }) => status)),
];

/** Does the work with this host and with an ordinary one in turns, and takes of each what others disturbed least. */
async function timesOrdinary(host: string, work: (host: string, round: string) => Promise<void>) {
  const ordinary = `${ORDINARY_HOST}/${host.slice(ORDINARY_HOST.length + 1)}`;
  let [ordinaryMs, leastMs] = [Infinity, Infinity];
  const isTooLong = (): boolean => leastMs / ordinaryMs >= MOST_TIMES;
  for (let round = 0; round < ROUNDS || (isTooLong() && round < MOST_ROUNDS); round += 1) {
    ordinaryMs = Math.min(ordinaryMs, await cpuMs(() => work(ordinary, `${round}-ordinary`)));
    leastMs = Math.min(leastMs, await cpuMs(() => work(host, String(round))));
  }
  return leastMs / ordinaryMs;
}

async function cpuMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe.each(HOSTS)('a host name of %s, longer than any, holds up nobody', (what, host) => {
  /** So much of it as the head of a request has room for. */
  const inQuery = host.slice(
    0,
    Math.floor((host.length * (HEAD_BYTES - 200)) / encodeURIComponent(host).length),
  );

  it.each(['/_svc/media/v3/preview_url', '/nothing'])(
    'in the query of %s, without an account',
    async (path) => {
      const times = await timesOrdinary(inQuery, async (name) => {
        const [first = '', ...rest] = name.split('/');
        const address = `http://${[first, ...rest].map(encodeURIComponent).join('/')}/`;
        const statuses = TEN.map(() => statusOf(`${path}?url=${address}`));
        for (const status of await Promise.all(statuses)) expect(status).toBeOneOf([401, 404]);
      });

      expect(times).toBeLessThan(MOST_TIMES);
    },
  );

  it('as target: 502', async () => {
    const times = await timesOrdinary(inQuery.slice(100), async (name, round) => {
      const targets = TEN.map((at) => kit.preview(`http://${name}/${round}/${at}`));
      expect(statusesOf(await Promise.all(targets))).toEqual([failureOf(name)]);
    });

    expect(times).toBeLessThan(MOST_TIMES);
  });

  it('where a target redirects to: 502', async () => {
    const times = await timesOrdinary(host, async (name, round) => {
      const location = latin1(`http://${name}/`).slice(0, HEAD_BYTES);
      const targets = TEN.map((at) => {
        const path = `/redirect/${what}/${round}/${at}`;
        return kit.preview(kit.serve(path, page('', { status: 302, headers: { location } })));
      });
      expect(statusesOf(await Promise.all(targets))).toEqual([failureOf(name)]);
    });

    expect(times).toBeLessThan(MOST_TIMES);
  });
});

import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { postKey } from '../../support/clients/notary-client.js';
import { createToken, preview } from '../../support/clients/preview-client.js';
import { slowness } from '../../support/machine-speed.js';
import { encodeName } from '../../support/origins/dns-server.js';
import {
  message,
  record,
  startHostileDnsServer,
  type HostileAnswer,
  type HostileDnsServer,
  type HostileQuestion,
} from '../../support/origins/hostile-dns-server.js';
import { page, startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import { startTestService, type TestService } from '../../support/service.js';
import { createSystemNames, type SystemNames } from '../../support/system-names.js';
import { longestTurnMs } from '../../support/turns.js';

const A = 1;
const CNAME = 5;
const SRV = 33;
const TRUNCATED = 0x8380;
const NO_SUCH_NAME = 0x8183;
/** As many as a message of 64 KiB holds. */
const MANY = 4000;
const MANY_SERVICES = 3000;
const LONGEST_TURN_MS = 100;
const ROUNDS = 5;

const HERE = Buffer.from([127, 0, 0, 1]);
const PRIVATE = Buffer.from([10, 0, 0, 1]);
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** Over UDP nothing but that it is too long. */
const long =
  (type: number, records: (at: number) => Buffer, count = MANY): HostileAnswer =>
  (question) => {
    if (question.type !== type) return [message(question, [])];
    return [question.isTcp ? message(question, times(count, records)) : message(question, [], TRUNCATED)];
  };
const ofAddress =
  (answer: (question: HostileQuestion) => Buffer[]): HostileAnswer =>
  (question) =>
    question.type === A ? answer(question) : [message(question, [])];
const services = (priority: (at: number) => number, port: number, target: string): HostileAnswer =>
  long(
    SRV,
    (at) => {
      const head = Buffer.alloc(6);
      head.writeUInt16BE(priority(at), 0);
      head.writeUInt16BE(1, 2);
      head.writeUInt16BE(port, 4);
      return record(SRV, Buffer.concat([head, encodeName(target)]));
    },
    MANY_SERVICES,
  );
const withId = (question: HostileQuestion, id: Buffer, data: Buffer): Buffer =>
  message({ ...question, id }, [record(A, data)]);

/** What is answered about names that begin so; the rest of a name is of no matter. */
const FOUND: Record<string, HostileAnswer> = {
  'many-addresses': long(A, () => record(A, HERE)),
  'a-private-one-far-behind': long(A, (at) => record(A, at === MANY - 1 ? PRIVATE : HERE)),
  'other-ids-first': ofAddress((question) => [
    ...times(200, () => withId(question, randomBytes(2), PRIVATE)),
    message(question, [record(A, HERE)]),
  ]),
};
const NOT_FOUND: Record<string, HostileAnswer> = {
  'a-private-one-among-them': ofAddress((question) => [
    message(
      question,
      times(10, (at) => record(A, at === 9 ? PRIVATE : HERE)),
    ),
  ]),
  'an-alias-of-itself': ofAddress((question) => [
    message(question, [record(CNAME, Buffer.from([0xc0, 12]))]),
  ]),
  'a-name-that-points-to-itself': ofAddress((question) => {
    const self = 12 + question.bytes.length;
    const name = Buffer.from([0xc0 | (self >> 8), self & 0xff]);
    return [message(question, [Buffer.concat([name, record(A, HERE).subarray(2)])])];
  }),
  noise: ofAddress(({ id }) => [Buffer.concat([id, randomBytes(500)])]),
};
const SERVICES: Record<string, HostileAnswer> = {
  'many-services': services(() => 1, 1, 'a'),
};

let dns: HostileDnsServer;
let names: SystemNames;
let site: RemoteSite;
let service: TestService;
let token: string;

beforeAll(async () => {
  const kinds = Object.entries({ ...FOUND, ...NOT_FOUND, ...SERVICES });
  dns = await startHostileDnsServer((question) => {
    const [, answer] = kinds.find(([kind]) => question.name.includes(`${kind}.`)) ?? [];
    return answer === undefined ? [message(question, [], NO_SUCH_NAME)] : answer(question);
  });
  names = await createSystemNames([dns.address]);
  site = await startRemoteSite();
  site.pages.set('/', page('<title>There</title>'));
  service = await startTestService({ dnsFiles: names.files });
  token = await createToken(service);
});
afterAll(async () => {
  await service.remove();
  await site.close();
  await names.remove();
  await dns.close();
});

/** The shortest of some rounds, each with a name of its own. */
async function longestTurnOf(ask: (label: string) => Promise<void>): Promise<number> {
  const turns: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) turns.push(await longestTurnMs(() => ask(`r${round}`)));
  return Math.min(...turns);
}

describe('an answer of a hostile name server, on default settings', () => {
  it.each(Object.keys(FOUND))('%s: the page is shown', async (kind) => {
    const longest = await longestTurnOf(async (label) => {
      const { status, body } = await preview(service, token, site.url('/', `${label}.${kind}.example`));
      expect([status, body['og:title']]).toEqual([200, 'There']);
    });
    expect(longest).toBeLessThan(LONGEST_TURN_MS * slowness());
  });

  it.each(Object.keys(NOT_FOUND))('%s: nothing is asked', async (kind) => {
    const longest = await longestTurnOf(async (label) => {
      const { status, body } = await preview(service, token, site.url('/', `${label}.${kind}.example`));
      expect([status, body['error']]).toEqual([502, 'DNS resolution failure during URL preview generation']);
    });
    expect(longest).toBeLessThan(LONGEST_TURN_MS * slowness());
    expect(site.hits.filter(({ host }) => host?.includes(kind))).toEqual([]);
  });

  it.each(Object.keys(SERVICES))('%s: the key is not found', async (kind) => {
    const longest = await longestTurnOf(async (label) => {
      expect((await postKey(service.url, `${label}.${kind}.example`)).records).toEqual([]);
    });
    expect(longest).toBeLessThan(LONGEST_TURN_MS * slowness());
  });
});

import { beforeAll, describe, expect, it } from 'vitest';

import { page } from '../../../support/origins/remote-site.js';
import { startPreviewKit } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

const kit = setUp(() =>
  startPreviewKit({
    settings: {
      url_preview_url_blacklist: [
        { hostname: '*.blocked.test' },
        { path: '^/private/', scheme: 'http' },
        { username: '*' },
        { port: '12' },
        { query: '*token=*' },
      ],
      url_preview_ip_range_whitelist: ['127.0.0.1'],
      dns: {
        hosts: {
          'site.test': ['127.0.0.1'],
          'www.blocked.test': ['127.0.0.1'],
          'inside.test': ['10.1.2.3'],
          'mixed.test': ['127.0.0.1', '192.168.0.7'],
          'nat64.test': ['64:ff9b::a00:1'],
          'nowhere.test': [],
        },
      },
    },
  }),
);

beforeAll(async () => {
  for (const path of ['/', '/open', '/?q=1', '/%70rivate', '/a'])
    kit.site.pages.set(path, page('<title>T</title>'));
});

const port = () => new URL(kit.url('/')).port;
const check = (url: string, resolve = true) =>
  kit.service.context.services.operators.blocking.check.check(url, { resolve });

describe('the dry check and the real gate', () => {
  it.each<[string, () => string]>([
    ['an open page', () => kit.url('/open')],
    ['a rule on the host', () => `http://www.blocked.test:${port()}/`],
    ['the host in capitals', () => `http://WWW.Blocked.TEST:${port()}/`],
    ['a rule on two components', () => kit.url('/private/x')],
    ['an escaped path', () => kit.url('/%70rivate/x')],
    ['dots in the path', () => kit.url('/a/../private/x')],
    ['a user name', () => kit.url('/open').replace('//', '//me@')],
    ['a port', () => 'http://site.test:12/'],
    ['a query', () => kit.url('/open?x=1&token=s')],
    ['a name with an inner address', () => `http://inside.test:${port()}/`],
    ['a name with one inner address', () => `http://mixed.test:${port()}/`],
    ['an inner address within IPv6', () => `http://nat64.test:${port()}/`],
    ['an allowed literal', () => `http://127.0.0.1:${port()}/open`],
    ['a refused literal', () => 'http://127.0.0.9/'],
    ['a literal in hexadecimal', () => 'http://0x7f.0.0.9/'],
    ['a literal in IPv6', () => 'http://[::1]/'],
    ['the unspecified address', () => 'http://0.0.0.0/'],
    ['a mapped address', () => 'http://[::ffff:10.0.0.1]/'],
    ['no URL at all', () => 'http://[x/'],
    ['a port beyond all', () => 'http://site.test:99999/'],
  ])('agree on %s', async (_, url) => {
    const checked = await check(url());
    const before = kit.site.hits.length;
    const { status, body } = await kit.preview(url());

    // 403 by rule or literal, 502 by the address of a name, 400 for what is not a URL.
    expect({ url: url(), blocked: [400, 403, 502].includes(status) }).toEqual({
      url: url(),
      blocked: checked.blocked,
    });
    // What is refused causes no request, what is not is really previewed.
    const seen = checked.blocked ? kit.site.hits.length - before : body['og:title'];
    expect(seen).toBe(checked.blocked ? 0 : 'T');
  });

  it('the check names the deciding entry, its place in the list and every rule that matches', async () => {
    expect(await check('http://me@www.blocked.test/private/')).toMatchObject({
      message: 'Blocked by entry 1 of url_preview_url_blacklist (built in).',
      matches: [{ position: 0 }, { position: 1 }, { position: 2 }],
    });
    expect(await check('http://mixed.test/')).toMatchObject({
      message:
        'Blocked: the address 192.168.0.7 is refused by 192.168.0.0/16, entry 12 of url_preview_ip_range_blacklist (built in).',
      addresses: [
        {
          address: '127.0.0.1',
          allowed: true,
          rule: { kind: 'ip_allow', parts: [{ pattern: '127.0.0.1' }] },
        },
        { address: '192.168.0.7', allowed: false, rule: { kind: 'ip_deny' } },
      ],
    });
    expect(await check('http://0.0.0.0/')).toMatchObject({
      addresses: [{ allowed: false, rule: { setting: 'built in' } }],
    });
  });
});

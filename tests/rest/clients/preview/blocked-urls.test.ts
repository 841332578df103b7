import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { page } from '../../../support/origins/remote-site.js';
import { startPreviewKit, type PreviewKit } from './preview-kit.js';

let kit: PreviewKit;

beforeAll(async () => {
  kit = await startPreviewKit({
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
  });
  for (const path of ['/', '/open', '/?q=1', '/%70rivate', '/a'])
    kit.site.pages.set(path, page('<title>T</title>'));
});
afterAll(() => kit.remove());

const port = () => new URL(kit.url('/')).port;

describe('rules and addresses of previews', () => {
  it.each<[string, () => string, boolean]>([
    ['an open page', () => kit.url('/open'), false],
    ['a rule on the host', () => `http://www.blocked.test:${port()}/`, true],
    ['the host in capitals', () => `http://WWW.Blocked.TEST:${port()}/`, true],
    ['a rule on two components', () => kit.url('/private/x'), true],
    ['an escaped path', () => kit.url('/%70rivate/x'), true],
    ['dots in the path', () => kit.url('/a/../private/x'), true],
    ['a user name', () => kit.url('/open').replace('//', '//me@'), true],
    ['a port', () => 'http://site.test:12/', true],
    ['a query', () => kit.url('/open?x=1&token=s'), true],
    ['a name with an inner address', () => `http://inside.test:${port()}/`, true],
    ['a name with one inner address', () => `http://mixed.test:${port()}/`, true],
    ['an inner address within IPv6', () => `http://nat64.test:${port()}/`, true],
    ['an allowed literal', () => `http://127.0.0.1:${port()}/open`, false],
    ['a refused literal', () => 'http://127.0.0.9/', true],
    ['a literal in hexadecimal', () => 'http://0x7f.0.0.9/', true],
    ['a literal in IPv6', () => 'http://[::1]/', true],
    ['the unspecified address', () => 'http://0.0.0.0/', true],
    ['a mapped address', () => 'http://[::ffff:10.0.0.1]/', true],
    ['no URL at all', () => 'http://[x/', true],
    ['a port beyond all', () => 'http://site.test:99999/', true],
  ])('judge %s', async (_, url, isBlocked) => {
    const before = kit.site.hits.length;
    const { status, body } = await kit.preview(url());

    // 403 by rule or literal, 502 by the address of a name, 400 for what is not a URL.
    expect([400, 403, 502].includes(status)).toBe(isBlocked);
    // What is refused causes no request, what is not is really previewed.
    const seen = isBlocked ? kit.site.hits.length - before : body['og:title'];
    expect(seen).toBe(isBlocked ? 0 : 'T');
  });
});

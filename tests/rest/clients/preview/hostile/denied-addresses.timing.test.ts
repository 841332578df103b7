import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startDnsServer, type DnsServer } from '../../../../support/origins/dns-server.js';
import { page, redirect, startRemoteSite, type RemoteSite } from '../../../../support/origins/remote-site.js';
import { startPreviewKit, tagged, type PreviewKit } from '../preview-kit.js';

const LITERAL = [403, 'IP address blocked by IP blacklist entry'];
const NAME = [502, 'DNS resolution failure during URL preview generation'];

/** Every spelling of 127.0.0.2, and of addresses that lead there. */
const SPELLINGS = [
  '127.0.0.2',
  '2130706434',
  '0x7f000002',
  '0x7f.0.0.2',
  '0177.0.0.2',
  '017700000002',
  '127.2',
  '127.0.2',
  '127.0.0.2.',
  '１２７.0.0.2',
  '①②⑦.0.0.2',
  '127。0。0。2',
  'user@127.0.0.2',
  '127.0.0.1@127.0.0.2',
  '%31%32%37.0.0.2',
  '[::ffff:127.0.0.2]',
  '[::ffff:7f00:2]',
  '[::127.0.0.2]',
  '[64:ff9b::7f00:2]',
  '[2002:7f00:2::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '0.0.0.0',
  '0',
];

let kit: PreviewKit;
let canary: RemoteSite;
let canary6: RemoteSite;
let dns: DnsServer;

beforeAll(async () => {
  canary = await startRemoteSite({ address: '127.0.0.2' });
  canary6 = await startRemoteSite({ address: '::1' }).catch(() => canary);
  dns = await startDnsServer({
    'site.test': { A: ['127.0.0.1'] },
    'inside.test': { A: ['127.0.0.2'] },
    'mixed.test': { A: ['127.0.0.1', '127.0.0.2'] },
    'mixed-reverse.test': { A: ['127.0.0.2', '127.0.0.1'] },
    'mixed6.test': { A: ['127.0.0.1'], AAAA: ['::1'] },
    'mapped.test': { AAAA: ['::ffff:127.0.0.2'] },
    'nat64.test': { AAAA: ['64:ff9b::7f00:2'] },
    'alias.test': { CNAME: 'inside.test' },
    'metadata.test': { A: ['169.254.169.254'] },
    'private.test': { A: ['192.168.1.1'] },
    'nothing.test': {},
    'broken.test': { failure: 'SERVFAIL' },
    'silent.test': { failure: 'silence' },
    'flip.test': { A: ['127.0.0.1'], ttlSeconds: 0 },
  });
  kit = await startPreviewKit({
    settings: {
      url_preview_ip_range_whitelist: ['127.0.0.1'],
      dns: { servers: [dns.address] },
      previews: { dns_timeout: '1s' },
    },
  });
});
afterAll(async () => {
  await kit.remove();
  await dns.close();
  await canary.close();
  if (canary6 !== canary) await canary6.close();
});

async function outcome(target: string): Promise<unknown[]> {
  const { status, body } = await kit.preview(target);
  return [status, body['error'] ?? null];
}

/** A page that is only text, pointing somewhere by each way a page can. */
function pointing(address: string): string {
  return `<head><meta property="og:title" content="Page"><meta property="og:image" content="${address}">
    <meta name="twitter:image" content="${address}"><link rel="icon" href="${address}">
    <meta http-equiv="refresh" content="0; url=${address}"><base href="${address}"></head>
    <body><img src="${address}" width="500" height="500"><iframe src="${address}"></iframe></body>`;
}

describe('a denied address', () => {
  it.each(SPELLINGS)('%s is refused as target, hop, image and oEmbed address', async (host) => {
    const address = `http://${host}:${canary.port}/x`;
    expect(await outcome(address)).toEqual(LITERAL);

    const id = encodeURIComponent(host).replaceAll('%', '-');
    expect(await outcome(kit.serve(`/hop/${id}`, redirect(Buffer.from(address).toString('latin1'))))).toEqual(
      LITERAL,
    );

    const { status, body } = await kit.preview(kit.serve(`/page/${id}`, pointing(address)));
    expect([status, body['og:title']]).toEqual([200, 'Page']);
    expect(body).not.toHaveProperty(['og:image']);

    const link = `<link rel="alternate" type="application/json+oembed" href="${address}">`;
    expect(await outcome(kit.serve(`/oembed/${id}`, `<head>${link}<title>T</title></head>`))).toEqual(
      LITERAL,
    );
  });

  it.each([
    'inside.test',
    'INSIDE.test.',
    'mixed.test',
    'mixed-reverse.test',
    'mixed6.test',
    'mapped.test',
    'nat64.test',
    'alias.test',
    'metadata.test',
    'private.test',
    'nothing.test',
    'broken.test',
    'unknown.test',
  ])('behind the name %s is 502, in all these places, and no address is told', async (host) => {
    const address = `http://${host}:${canary.port}/x`;
    expect(await outcome(address)).toEqual(NAME);
    expect(await outcome(kit.serve(`/hop/${host}`, redirect(address)))).toEqual(NAME);
    const { status, body } = await kit.preview(kit.serve(`/page/${host}`, pointing(address)));
    expect([status, body['og:image']]).toEqual([200, undefined]);
  });

  it('behind a resolver that never answers is 502 in time', async () => {
    const startMs = performance.now();
    expect(await outcome('http://silent.test/')).toEqual(NAME);
    expect(performance.now() - startMs).toBeLessThan(3000);
  });

  it('in an answer that changes between page and image is not connected to (rebinding)', async () => {
    // What was judged is kept for 30 s, whatever lifetime the answer states: the image is looked for there.
    const at = (path: string) => kit.site.url(path, 'flip.test');
    kit.serve('/flip', (request, response) => {
      dns.zones.set('flip.test', { A: ['127.0.0.2'], ttlSeconds: 0 });
      page(tagged({ 'og:title': 'Flip', 'og:image': '/picture.png' }))(request, response);
    });
    const { status, body } = await kit.preview(at('/flip'));
    expect([status, body['og:title'], body['og:image']]).toEqual([200, 'Flip', undefined]);
    expect(kit.hits('/picture.png')).toEqual(['/picture.png']);
  });

  it('got no connection in any of these cases, and no part of a page is asked for but its image', async () => {
    const url = kit.serve('/quiet', pointing(`http://inside.test:${canary.port}/x`));
    await kit.preview(url);
    expect(kit.hits('/quiet')).toEqual(['/quiet']);
    expect([canary.connections.count, canary6.connections.count]).toEqual([0, 0]);
  });
});

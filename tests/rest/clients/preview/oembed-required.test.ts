import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { temporaryFolder } from '../../../cli/vidimus.js';
import { ask } from '../../../support/clients/preview-client.js';
import { startPreviewKit, tagged } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

/** Announced addresses that fail: at the site, by a refusal, in themselves. */
const DEAD = ['/gone', 'http://10.0.0.1/x', 'data:application/json;base64'];

const kit = setUp(startPreviewKit);
const folder = setUp(temporaryFolder);
let providers: string;

beforeAll(async () => {
  providers = join(folder.path, 'providers.json');
  const endpoints = [{ schemes: [kit.url('/watch/*')], url: kit.url('/gone') }];
  writeFileSync(providers, JSON.stringify([{ provider_name: 'P', provider_url: 'http://x/', endpoints }]));
});

async function previewIn(dialect: string, path: string): Promise<{ status: number; title: unknown }> {
  const { status, body } = await ask(
    kit.service,
    `/_${dialect}/media/v3/preview_url?url=${encodeURIComponent(kit.url(path))}`,
    { headers: { Authorization: `Bearer ${kit.token}` } },
  );
  return { status, title: body['og:title'] };
}

function announce(href: string): string {
  const link = `<link rel="alternate" type="application/json+oembed" href="${href}">`;
  return tagged({ 'og:title': 'Page' }).replace('<head>', `<head>${link}`);
}

describe.each([
  ['svc', true],
  ['matrix', false],
] as const)('in dialect %s', (dialect, isRequired) => {
  beforeAll(() => kit.restart({ dialect, oembed: { additional_providers: [providers] } }));

  it(`an announced address that fails ${isRequired ? 'fails the preview' : 'changes nothing and is logged'} (SPEC §4.7.7)`, async () => {
    for (const [number, href] of DEAD.entries()) {
      const path = `/${dialect}/${number}`;
      kit.serve(path, announce(href));
      const { status, title } = await previewIn(dialect, path);
      expect([status >= 400, title]).toEqual(isRequired ? [true, undefined] : [false, 'Page']);
    }
    const lines = kit.service.logs.filter(({ msg }) => msg === 'linked oEmbed request of a preview failed');
    expect(lines).toHaveLength(isRequired ? 0 : DEAD.length);
  });

  it('an address that a pattern led to and that fails, fails the preview (SPEC §4.7.4)', async () => {
    expect((await previewIn(dialect, `/watch/${dialect}`)).status).toBe(502);
  });
});

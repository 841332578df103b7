import { fileURLToPath } from 'node:url';

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Role } from '../../src/core/access/operators/viewer.js';
import { findChromium, launchChromium } from './support/chromium.js';
import { startWebhookReceiver, type WebhookReceiver } from '../support/origins/webhook-receiver.js';
import { SIZES, Visitor, type Size, type Theme } from './support/visitor.js';
import {
  HEALTHY,
  NEWS,
  WRONG_KEY,
  ROTATED,
  WRONG_NAME,
  createWorld,
  liveADay,
  replaceKey,
  type World,
} from './support/world.js';

/** Where each page is drawn for the documents; it is not in an ordinary run. */
const IMAGES = process.env['PAGE_IMAGES'] === undefined ? null : '../../docs/screenshots';

interface Visit {
  /** Name of its images. */
  name: string;
  path: (world: World) => string | Promise<string>;
  /** Heading that says the right page is there. */
  heading: string | RegExp;
  role?: Role | null;
  /** What is done there before it is looked at. */
  act?: (page: Page, world: World) => Promise<void>;
}

const VISITS: readonly Visit[] = [
  { name: 'sign-in', path: () => '/', heading: 'Vidimus', role: null },
  { name: 'overview', path: () => '/', heading: 'Overview' },
  { name: 'keys', path: () => '/keys', heading: 'Keys' },
  { name: 'server', path: () => `/keys/${HEALTHY}`, heading: HEALTHY },
  {
    name: 'server-alarm',
    path: () => `/keys/${ROTATED}`,
    heading: ROTATED,
    act: async (page) => {
      await page.getByRole('region', { name: 'Alarm' }).waitFor();
    },
  },
  { name: 'server-fetches', path: () => `/keys/${WRONG_KEY}?tab=fetches`, heading: WRONG_KEY },
  { name: 'server-events', path: () => `/keys/${HEALTHY}?tab=events`, heading: HEALTHY },
  {
    name: 'server-history',
    path: () => `/keys/${ROTATED}?tab=history`,
    heading: ROTATED,
    act: async (page) => {
      await page.getByRole('slider', { name: 'Instant' }).waitFor();
    },
  },
  { name: 'key-events', path: () => '/events', heading: 'Key events' },
  { name: 'signing-keys', path: () => '/keys/own', heading: /signing keys/i },
  {
    name: 'log',
    path: () => '/log',
    heading: 'Log',
    act: async (page) => {
      await page.getByRole('img', { name: /^Growth of the log: \d+ entries/ }).waitFor();
    },
  },
  { name: 'previews', path: () => '/previews', heading: 'Previews' },
  { name: 'previews-memory', path: () => '/previews?tab=memory', heading: 'Previews' },
  { name: 'previews-refused', path: () => '/previews?tab=refused', heading: 'Previews' },
  {
    name: 'preview',
    path: ({ at }) => `/previews/view?url=${encodeURIComponent(at('/harbour'))}`,
    heading: /lighthouse|preview/i,
  },
  { name: 'site', path: () => `/sites/${NEWS}`, heading: NEWS },
  { name: 'try', path: () => '/try', heading: 'Try a preview' },
  {
    name: 'try-trace',
    path: () => '/try',
    heading: 'Try a preview',
    act: async (page, { at }) => {
      await page.getByRole('textbox', { name: 'URL to try' }).fill(at('/meadow'));
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      await page.getByRole('list', { name: 'Stages of the preview' }).waitFor();
    },
  },
  {
    name: 'trace',
    path: () => '/try',
    heading: 'Try a preview',
    act: async (page, { at }) => {
      await page.getByRole('textbox', { name: 'URL to try' }).fill(at('/harbour'));
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      await page.getByRole('button', { name: 'Share', exact: true }).click();
      const link = page.getByRole('link', { name: 'Link', exact: true });
      const { pathname } = new URL((await link.getAttribute('href')) ?? '');
      await page.goto(new URL(pathname, page.url()).href);
      await page.getByRole('heading', { level: 1, name: 'A try' }).waitFor();
      await page.getByRole('list', { name: 'Stages of the preview' }).waitFor();
    },
  },
  {
    name: 'diagnose',
    path: () => `/keys/${WRONG_NAME}?tab=diagnose`,
    heading: WRONG_NAME,
    act: async (page) => {
      await page.getByRole('list', { name: /stages/i }).waitFor();
    },
  },
  { name: 'media', path: () => '/media', heading: 'Media' },
  { name: 'media-table', path: () => '/media?view=table', heading: 'Media' },
  {
    name: 'media-item',
    path: async ({ service }) => {
      const { client } = service.context.parts.database;
      const image = await client.media.findFirstOrThrow({ where: { contentType: 'image/jpeg' } });
      return `/media/${image.mediaId}`;
    },
    heading: /\.jpg$/,
    act: async (page) => {
      await page.getByRole('heading', { name: 'Thumbnails' }).waitFor();
    },
  },
  { name: 'blocking', path: () => '/blocking', heading: 'Blocking' },
  { name: 'blocking-hits', path: () => '/blocking?tab=hits', heading: 'Blocking' },
  {
    name: 'blocking-check',
    path: () => `/blocking?tab=check&resolve=yes&url=${encodeURIComponent('http://tracker.example/a?b')}`,
    heading: 'Blocking',
  },
  { name: 'watches', path: () => '/watches', heading: 'Watches' },
  { name: 'watches-deliveries', path: () => '/watches?tab=deliveries', heading: 'Watches' },
  { name: 'jobs', path: () => '/jobs', heading: 'Jobs' },
  { name: 'job', path: () => '/jobs/media_sweep', heading: 'Compare media with files' },
  {
    name: 'job-run',
    path: () => '/jobs/media_sweep',
    heading: 'Compare media with files',
    act: async (page) => {
      await page
        .getByRole('link', { name: /^Run of/ })
        .first()
        .click();
      await page.getByRole('heading', { name: 'This run' }).waitFor();
    },
  },
  { name: 'access', path: () => '/access', heading: 'Access' },
  { name: 'settings', path: () => '/settings?q=previews', heading: 'Settings' },
  { name: 'audit', path: () => '/audit', heading: 'Audit' },
  { name: 'api', path: () => '/api', heading: /API/ },
  {
    name: 'explorer',
    path: () => '/explorer',
    heading: 'Explorer',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Operation' }).waitFor();
    },
  },
  {
    name: 'request',
    path: async ({ askKeys }) =>
      `/requests/${(await askKeys('nobody.invalid')).headers.get('x-request-id') ?? ''}`,
    heading: /^Request/,
    act: async (page) => {
      await page.getByRole('list', { name: 'What the request did' }).waitFor();
    },
  },
  { name: 'not-found', path: () => '/no-such-page', heading: /no such page|not found|nothing here/i },
];

/** A rule of each kind. */
const oversightOf = ({ url }: WebhookReceiver) => ({
  alerts: { webhooks: [{ name: 'ops', url, secret: 'sixteen characters', allow_private: true }] },
  watch: [
    { server_name: '*', webhook: 'ops' },
    { server_name: ROTATED, command: ['/bin/true'] },
  ],
  pins: [{ server_name: ROTATED, keys: { 'ed25519:other': 'A'.repeat(43) }, mode: 'report' }],
  cross_check: [
    {
      server_name: 'notary.harbour.example',
      url: 'https://notary.harbour.example/',
      keys: { 'ed25519:n': 'A'.repeat(43) },
    },
  ],
});

/** One that an operator set. */
async function setPin({ service }: World, server_name: string): Promise<void> {
  const { oversight } = service.context.services;
  const { keys } = await oversight.admin.ofServer(server_name);
  const named = Object.fromEntries(keys.map(({ keyId, publicKey }) => [keyId, publicKey]));
  expect(await oversight.oversight.set('pin', { server_name, keys: named }, 'ana')).toBeNull();
}

const THEMES: readonly Theme[] = ['light', 'dark'];
const WIDE_FIRST = ['wide', 'phone'] as const;
const PHONE_FIRST = ['phone', 'wide'] as const;

describe.skipIf(findChromium() === null)('every page of the web UI', () => {
  let world: World;
  let receiver: WebhookReceiver;
  let browser: Browser;

  beforeAll(async () => {
    receiver = await startWebhookReceiver();
    world = await createWorld({ settings: oversightOf(receiver) });
    await liveADay(world);
    await world.service.context.services.oversight.admin.test('ops');
    await setPin(world, HEALTHY);
    await replaceKey(world, ROTATED);
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await world?.remove();
    await receiver?.close();
  });

  describe('in both sizes and themes', () => {
    let visitor: Visitor;
    let anonymous: Visitor;

    beforeAll(async () => {
      visitor = await Visitor.open(browser, world.service, { isTimeFixed: true, role: 'admin' });
      anonymous = await Visitor.open(browser, world.service, { isTimeFixed: true, role: null });
    });

    afterAll(async () => {
      await visitor?.close();
      await anonymous?.close();
    });

    const look = async (who: Visitor, name: string, size: Size) => {
      for (const theme of THEMES) {
        await who.wear(theme);
        const image = `${name}-${theme}-${SIZES[size].width}.png`;
        if (IMAGES !== null)
          await who.page.screenshot({ path: fileURLToPath(new URL(`${IMAGES}/${image}`, import.meta.url)) });

        const violations = await who.violations(theme === 'light' ? 'all' : 'colors');
        expect({ size, theme, violations }).toEqual({ size, theme, violations: [] });
        expect(await who.overflow()).toBeLessThanOrEqual(0);
      }
    };

    it.each(VISITS)('$name: shows itself, fits, is accessible, and asks nobody else', async (visit) => {
      const who = visit.role === null ? anonymous : visitor;
      // Every other page is opened on the phone and then seen wide.
      const [first, second] = VISITS.indexOf(visit) % 2 === 0 ? WIDE_FIRST : PHONE_FIRST;
      who.repeatedFailures.length = 0;
      await who.page.setViewportSize(SIZES[first]);
      await who.wear('light');
      await who.goto(await visit.path(world));
      await who.page.getByRole('heading', { level: 1, name: visit.heading }).waitFor();
      await visit.act?.(who.page, world);
      await look(who, visit.name, first);
      await who.resize(second);
      await look(who, visit.name, second);
      expect(who.repeatedFailures).toEqual([]);
    });
  });
});

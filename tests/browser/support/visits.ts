import type { Page } from 'playwright-core';

import type { Role } from '../../../src/core/access/operators/viewer.js';
import { HEALTHY, ROTATED, WRONG_KEY, WRONG_NAME, type World } from './world.js';

/** A page as it is drawn for the documents. */
export interface Visit {
  /** Name of its images. */
  name: string;
  path: (world: World) => string | Promise<string>;
  /** Heading that says the right page is there. */
  heading: string | RegExp;
  /** Name of the drawer that shows it, where the page does not. */
  drawer?: string | RegExp;
  /** A text of what was seeded, so that an empty page is none; of the page itself where nothing seeded is shown. */
  shows: string | RegExp;
  role?: Role | null;
  /** What is done there before it is looked at. */
  act?: (page: Page, world: World) => Promise<void>;
}

export const VISITS: readonly Visit[] = [
  { name: 'sign-in', path: () => '/', heading: 'Vidimus', shows: 'One-time code', role: null },
  { name: 'keys', path: () => '/keys', heading: 'Keys', shows: HEALTHY },
  { name: 'server', path: () => `/keys/${HEALTHY}`, heading: HEALTHY, shows: 'ed25519:auto' },
  {
    name: 'server-alarm',
    path: () => `/keys/${ROTATED}`,
    heading: ROTATED,
    shows: 'key replaced',
    act: async (page) => {
      await page.getByRole('region', { name: 'Alarm' }).waitFor();
    },
  },
  {
    name: 'server-fetches',
    path: () => `/keys/${WRONG_KEY}?tab=fetches`,
    heading: WRONG_KEY,
    shows: /signature/,
  },
  {
    name: 'server-events',
    path: () => `/keys/${HEALTHY}?tab=events`,
    heading: HEALTHY,
    shows: 'The first record was stored',
  },
  {
    name: 'server-history',
    path: () => `/keys/${HEALTHY}?tab=history`,
    heading: HEALTHY,
    shows: 'ed25519:a_old',
    act: async (page) => {
      await page.getByRole('slider', { name: 'Instant' }).waitFor();
    },
  },
  { name: 'key-events', path: () => '/keys?tab=events', heading: 'Keys', shows: 'key replaced' },
  { name: 'signing-keys', path: () => '/our-keys', heading: 'Our keys', shows: /^ed25519:/ },
  {
    name: 'log',
    path: () => '/our-keys?tab=log',
    heading: 'Our keys',
    shows: /^[1-9]\d* entries$/,
  },
  {
    name: 'previews',
    path: () => '/previews',
    heading: 'Previews',
    shows: 'A new lighthouse for the harbour',
  },
  {
    name: 'previews-refused',
    path: () => '/previews?tab=refused',
    heading: 'Previews',
    shows: '401',
    act: async (page) => {
      await page.getByRole('img', { name: /^Denied: [1-9]\d*, unavailable: [1-9]\d*/ }).waitFor();
    },
  },
  {
    name: 'preview',
    path: ({ at }) => `/previews/view?url=${encodeURIComponent(at('/harbour'))}`,
    heading: /lighthouse|preview/i,
    shows: 'Meadow News',
  },
  { name: 'try', path: () => '/previews?tab=try', heading: 'Previews', shows: 'Enter its URL.' },
  {
    name: 'try-trace',
    path: () => '/previews?tab=try',
    heading: 'Previews',
    shows: 'Bees return to the meadow',
    act: async (page, { at }) => {
      await page.getByRole('textbox', { name: 'URL to try' }).fill(at('/meadow'));
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      await page.getByRole('list', { name: 'Stages of the preview' }).waitFor();
    },
  },
  {
    name: 'diagnose',
    path: () => `/keys/${WRONG_NAME}?tab=diagnose`,
    heading: WRONG_NAME,
    shows: /certificate/,
    act: async (page) => {
      await page.getByRole('list', { name: /stages/i }).waitFor();
    },
  },
  { name: 'media', path: () => '/previews?tab=media', heading: 'Previews', shows: /harbour\.jpg/ },
  {
    name: 'media-item',
    path: async ({ service }) => {
      const { client } = service.context.parts.database;
      const image = await client.media.findFirstOrThrow({ where: { contentType: 'image/jpeg' } });
      return `/previews?tab=media&item=${image.mediaId}`;
    },
    heading: 'Previews',
    drawer: /^\d{4}-\d\d-\d\d_/,
    shows: /1,?200 × 630/,
    act: async (page) => {
      await page.getByRole('heading', { name: 'Thumbnails' }).waitFor();
    },
  },
  { name: 'blocking', path: () => '/blocking', heading: 'Blocking', shows: /tracker\.example/ },
  { name: 'blocking-hits', path: () => '/blocking?tab=hits', heading: 'Blocking', shows: '10.0.0.7' },
  {
    name: 'blocking-check',
    path: () => `/blocking?tab=check&resolve=yes&url=${encodeURIComponent('http://tracker.example/a?b')}`,
    heading: 'Blocking',
    shows: '*tracker.example',
  },
  { name: 'jobs', path: () => '/jobs', heading: 'Jobs', shows: /^ok$/ },
  {
    name: 'job',
    path: () => '/jobs?job=media_sweep',
    heading: 'Jobs',
    drawer: 'media_sweep',
    shows: 'by operator',
  },
  {
    name: 'job-run',
    path: () => '/jobs?job=media_sweep',
    heading: 'Jobs',
    drawer: 'Run',
    shows: 'by operator',
    act: async (page) => {
      await page
        .getByRole('link', { name: /^Run of/ })
        .first()
        .click();
      await page.getByRole('dialog', { name: 'Run' }).getByText('Result').waitFor();
    },
  },
  { name: 'access', path: () => '/access', heading: 'Access', shows: 'this one' },
  { name: 'settings', path: () => '/settings?q=previews', heading: 'Settings', shows: 'previews.extraction' },
  { name: 'audit', path: () => '/access?tab=audit', heading: 'Access', shows: 'Reload the configuration' },
  {
    name: 'not-found',
    path: () => '/no-such-page',
    heading: /no such page|not found|nothing here/i,
    shows: /overview/i,
  },
  // Last: what is counted is kept for some seconds.
  { name: 'overview', path: () => '/', heading: 'Overview', shows: /^\d+ problems?$/ },
];

import type { Page, Route } from 'playwright-core';

import type { World } from './world.js';

/** A state of a page that is drawn for no document. */
export interface State {
  name: string;
  path: (world: World) => string | Promise<string>;
  /** Leads there, and waits for what is to be seen. */
  act: (page: Page, world: World) => Promise<void>;
  /** What it has to bring about in the console. */
  provokes?: string;
  /** Undoes what would change other pages. */
  after?: (page: Page, world: World) => Promise<void>;
}

const viewOf = (url: string) => `/previews/view?url=${encodeURIComponent(url)}`;
const see = (page: Page, text: string | RegExp) => page.getByRole('main').getByText(text).first().waitFor();

/** Requests that the pages wait for. */
const held: Route[] = [];

/** Dialogs, and empty and broken pages: what `VISITS` does not show. */
export const STATES: readonly State[] = [
  {
    name: 'pause a job',
    path: () => '/jobs',
    act: async (page) => {
      await page.getByRole('button', { name: 'Pause…' }).first().click();
      await page.getByRole('dialog', { name: /^Pause / }).waitFor();
    },
  },
  {
    name: 'delete ticked previews',
    path: () => '/previews',
    act: async (page) => {
      await page.getByRole('checkbox', { name: 'Select all rows on this page' }).check();
      await page.getByRole('button', { name: 'Delete…' }).click();
      const dialog = page.getByRole('dialog', { name: /^Delete \d+ previews\?/ });
      await dialog.getByRole('listitem').nth(4).waitFor();
    },
  },
  {
    name: 'a preview that is gone',
    path: () => viewOf('https://never.example/asked'),
    act: (page) => see(page, 'No preview of this address is stored'),
  },
  {
    name: 'a name that is none',
    path: () => '/keys/a%20b.example',
    act: (page) => see(page, 'name is not a server name'),
  },
  {
    name: 'a part that cannot be read',
    provokes: 'status of 500 ',
    path: async ({ service }) => {
      const { client } = service.context.parts.database;
      await client.$executeRawUnsafe('ALTER TABLE media RENAME TO media_away');
      return '/previews?tab=media';
    },
    act: async (page) => {
      await page
        .getByRole('main')
        .getByRole('alert')
        .getByRole('button', { name: 'Retry' })
        .first()
        .waitFor();
    },
    after: async (_page, { service }) => {
      const { client } = service.context.parts.database;
      await client.$executeRawUnsafe('ALTER TABLE media_away RENAME TO media');
    },
  },
  {
    name: 'a page that is loading',
    path: () => '/jobs',
    act: async (page) => {
      await page.route('**/api/graphql', (route) => {
        held.push(route);
      });
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Previews' }).click();
      await page.getByRole('main').getByRole('group', { name: 'Loading' }).first().waitFor();
    },
    after: async (page) => {
      await Promise.all(held.splice(0).map((route) => route.continue()));
      await page.unroute('**/api/graphql');
    },
  },
];

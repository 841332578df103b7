import type { Page, Route } from 'playwright-core';

import { WRONG_KEY, type World } from './world.js';

/** A state of a page that is drawn for no document. */
export interface State {
  name: string;
  path: (world: World) => string | Promise<string>;
  /** Leads there, and waits for what is to be seen. */
  act: (page: Page, world: World) => Promise<void>;
  /** What it has to bring about in the console. */
  provokes?: string;
  /** A text all of which is to be seen, in both sizes. */
  whole?: string;
  /** Undoes what would change other pages. */
  after?: (page: Page, world: World) => Promise<void>;
}

const LONG_REASON =
  `The answer was no record: ${'its signature says another thing than its text '.repeat(7)}`.slice(0, 300);

const viewOf = (url: string) => `/previews/view?url=${encodeURIComponent(url)}`;
const see = (page: Page, text: string | RegExp) => page.getByRole('main').getByText(text).first().waitFor();

interface Box {
  parentElement: Box | null;
  tagName: string;
  className: string;
  clientWidth: number;
  clientHeight: number;
  scrollWidth: number;
  scrollHeight: number;
}

/** Classes of what has no room for all of a text, and hides the rest. */
export function whatCuts(page: Page, text: string): Promise<string[]> {
  return page.getByRole('main').getByText(text).first().evaluate(cutBy);
}

function cutBy(element: unknown): string[] {
  const { getComputedStyle } = globalThis as unknown as {
    getComputedStyle: (box: Box) => { overflowX: string; overflowY: string };
  };
  const boxes: Box[] = [];
  for (let box = element as Box | null; box !== null && box.tagName !== 'MAIN'; box = box.parentElement)
    boxes.push(box);
  const isCut = (box: Box) => {
    const { overflowX, overflowY } = getComputedStyle(box);
    return (
      (overflowX !== 'visible' && box.scrollWidth > box.clientWidth) ||
      (overflowY !== 'visible' && box.scrollHeight > box.clientHeight)
    );
  };
  return boxes.filter(isCut).map(({ className }) => className);
}

/** Questions that the pages wait for. */
const held: Route[] = [];

/** Dialogs, empty and broken pages, and what does not fit: everything that `VISITS` does not show. */
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
      await page.getByRole('checkbox', { name: 'Tick all rows of this page' }).check();
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
    name: 'a long reason',
    path: async ({ service }) => {
      const { client } = service.context.parts.database;
      const startedTs = service.clock.now();
      const row = {
        serverName: WRONG_KEY,
        startedTs,
        durationMs: 1,
        cause: 'job',
        steps: [],
        outcome: 'failed',
      };
      await client.keyFetch.create({ data: { ...row, message: LONG_REASON } });
      return `/keys/${WRONG_KEY}?tab=fetches`;
    },
    act: (page) => see(page, LONG_REASON),
    whole: LONG_REASON,
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

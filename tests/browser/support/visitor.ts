import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import type { Browser, BrowserContext, Page } from 'playwright-core';

import type { Role } from '../../../src/core/access/operators/viewer.js';
import { signInAs } from '../../rest/operators/admin-kit.js';
import { PATIENCE_MS } from '../../support/patience.js';
import type { TestService } from '../../support/service.js';

export type Theme = 'light' | 'dark';

/** Screen sizes: a laptop and a phone. */
export const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;
export type Size = keyof typeof SIZES;

/** How a page is looked at. */
export interface Look {
  theme: Theme;
  size: Size;
}

/** Each differs from the one before by one thing. */
export const LOOKS: readonly Look[] = [
  { theme: 'light', size: 'wide' },
  { theme: 'light', size: 'phone' },
  { theme: 'dark', size: 'phone' },
  { theme: 'dark', size: 'wide' },
];

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules of those tags whose outcome depends on the theme. */
const AXE_COLOR_RULES = ['color-contrast', 'link-in-text-block'];

const WORKED_THROUGH =
  'new Promise((resolve) => requestAnimationFrame(() => requestIdleCallback(resolve, { timeout: 1000 })))';
/** Colours that pass into those of another theme, and dialogs that appear; not what turns for ever. */
const PASSED = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished)).then(() => {})`;

export interface VisitorOptions {
  /** Signed in as; `null` for an anonymous client. */
  role: Role | null;
  theme?: Theme;
  size?: Size;
  /** The page's clock stands still at the service's, so that relative times are the same in every run. */
  isTimeFixed?: boolean;
}

/** Somebody with a browser: one window, and everything that went wrong in it. */
export class Visitor {
  /** Errors in the console, broken scripts, requests to other origins. */
  readonly repeatedFailures: string[] = [];
  #requests = { sent: 0, underWay: 0 };
  #whenQuiet: (() => void)[] = [];

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    /** Address of the UI, without a slash at its end. */
    readonly base: string,
  ) {}

  static async open(browser: Browser, service: TestService, options: VisitorOptions): Promise<Visitor> {
    const { base_path: basePath } = service.context.config.admin;
    const visitor = await Visitor.openAt(browser, service.url + basePath, options);
    const { page } = visitor;
    if (options.role !== null) await visitor.signIn(service, options.role);
    if (options.isTimeFixed === true) await page.clock.setFixedTime(service.clock.now());
    return visitor;
  }

  /** An anonymous client at the UI of any server. */
  static async openAt(
    browser: Browser,
    base: string,
    { theme = 'light', size = 'wide' }: Pick<VisitorOptions, 'theme' | 'size'> = {},
  ): Promise<Visitor> {
    const context = await browser.newContext({
      colorScheme: theme,
      viewport: SIZES[size],
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
      locale: 'en-GB',
      timezoneId: 'UTC',
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const visitor = new Visitor(await context.newPage(), context, base);
    visitor.#watch();
    return visitor;
  }

  /** Gives the browser a session of its own, without the pages; one session may send 20 operations a second. */
  async signIn(service: TestService, role: Role): Promise<void> {
    const [name = '', value = ''] = (await signInAs(service, role)).split('=', 2);
    await this.context.addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: 'Strict' }]);
  }

  /** Opens a page of the UI and waits until nothing is loading any more. */
  async goto(path: string): Promise<void> {
    await this.page.goto(this.base + path);
    await this.settled();
  }

  /** Goes to another page as a link does, without loading the program anew; `goto` where none is open yet. */
  async turnTo(path: string): Promise<void> {
    if (!this.page.url().startsWith(`${this.base}/`)) return this.goto(path);
    await this.page.evaluate(`
      history.pushState(null, '', ${JSON.stringify(new URL(this.base).pathname + path)});
      dispatchEvent(new PopStateEvent('popstate'))`);
    await this.settled();
  }

  /** Has the system prefer a theme, and waits until the page follows. */
  async wear(theme: Theme): Promise<void> {
    await this.page.emulateMedia({ colorScheme: theme });
    const isUi = (await this.page.locator('[data-mantine-color-scheme]').count()) > 0;
    if (!isUi) return;
    await this.page.locator(`html[data-mantine-color-scheme=${theme}]`).waitFor();
    await this.page.evaluate(PASSED);
  }

  /** Waits until the page shows its content: a heading, and no placeholder. */
  async settled(): Promise<void> {
    await this.page.locator('h1').first().waitFor();
    await this.page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
    await this.quiet();
  }

  /** Waits until the page asks for nothing, and has worked through what it got without asking for more. */
  async quiet(): Promise<void> {
    let sent: number;
    do {
      if (this.#requests.underWay > 0) await new Promise<void>((resolve) => this.#whenQuiet.push(resolve));
      ({ sent } = this.#requests);
      await this.page.evaluate(WORKED_THROUGH);
    } while (this.#requests.sent > sent || this.#requests.underWay > 0);
  }

  /** Makes the window larger or smaller. */
  async resize(size: Size): Promise<void> {
    await this.page.setViewportSize(SIZES[size]);
    await this.settled();
  }

  /** What axe finds against WCAG 2.2 AA, by all rules or those about colours, one line a rule. */
  async violations(rules: 'all' | 'colors' = 'all'): Promise<string[]> {
    if (!(await this.page.evaluate<boolean>("'axe' in globalThis"))) await this.page.evaluate(AXE);
    await this.page.evaluate(PASSED);
    return this.page.evaluate(
      async (runOnly) => {
        interface Found {
          violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
        }
        const { axe } = globalThis as unknown as { axe: { run(options: unknown): Promise<Found> } };
        const { violations } = await axe.run({ runOnly });
        return violations.map(({ id, nodes }) => {
          const [first] = nodes;
          return `${id} (${nodes.length}): ${first?.html.slice(0, 200)} ${first?.failureSummary ?? ''}`;
        });
      },
      rules === 'all' ? AXE_TAGS : AXE_COLOR_RULES,
    );
  }

  /** Pixels the page is wider than its window. */
  overflow(): Promise<number> {
    return this.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  }

  async close(): Promise<void> {
    await this.context.close();
  }

  #watch(): void {
    const { page } = this;
    const origin = new URL(this.base).origin;
    page.on('console', (message) => {
      if (message.type() === 'error') this.repeatedFailures.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.repeatedFailures.push(`script: ${error.message}`));
    const ended = () => {
      this.#requests.underWay -= 1;
      if (this.#requests.underWay === 0) for (const resolve of this.#whenQuiet.splice(0)) resolve();
    };
    page.on('requestfinished', ended);
    page.on('requestfailed', ended);
    page.on('request', (request) => {
      this.#requests.sent += 1;
      this.#requests.underWay += 1;
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !/^(?:data|blob):/.test(url))
        this.repeatedFailures.push(`asks another origin: ${url}`);
    });
  }
}

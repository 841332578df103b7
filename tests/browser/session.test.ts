import { beforeEach, describe, expect, it } from 'vitest';

import { MINUTE_MS } from '../../src/core/base/clock.js';
import { findChromium } from './support/chromium.js';
import { enterCode } from './support/enter-code.js';
import { setStage } from './support/stage.js';
import type { Visitor } from './support/visitor.js';

const COOKIE = 'vidimus_session';

describe.skipIf(findChromium() === null)('signing in and out', () => {
  const stage = setStage({ settings: { admin: { base_path: '/ops/vidimus' } } });
  // Failed attempts of one test are not to lock out the next.
  beforeEach(() => stage.world.service.clock.advance(30 * MINUTE_MS));
  const codeFor = async (role: 'viewer' | 'admin') =>
    (await stage.world.service.context.access.codes.create(role)).code;
  const secretOf = async ({ context }: Visitor) =>
    (await context.cookies()).find(({ name }) => name === COOKIE)?.value ?? '';

  it('lets a right code in after the wait that six wrong ones cost, and logs none of them', async () => {
    const { service } = stage.world;
    const visitor = await stage.visit({ role: null });
    const { page } = visitor;
    const code = await codeFor('admin');
    await visitor.goto('/');
    const wrong = ['WR0N-GXXX-0001', 'WR0N-GXXX-0002', 'WR0N-GXXX-0003', 'WR0N-GXXX-0004', 'WR0N-GXXX-0005'];
    for (const secret of wrong) {
      const answered = page.waitForResponse('**/vidimus/session');
      await enterCode(page, secret);
      expect((await answered).status()).toBe(401);
      await page.getByText('Sign-in failed. Check what you entered and try again.').waitFor();
    }

    const sixth = page.waitForResponse('**/vidimus/session');
    await enterCode(page, 'WR0N-GXXX-0006');
    expect((await sixth).status()).toBe(429);
    expect((await sixth).headers()['retry-after']).toBe('60');
    await page.getByText(/Too many attempts\. Try again in \d+ s\./).waitFor();
    const button = page.getByRole('button', { name: 'Sign in' });
    expect(await button.isDisabled()).toBe(true);

    service.clock.advance(MINUTE_MS);
    await page.clock.runFor(MINUTE_MS);
    await enterCode(page, code);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    const log = JSON.stringify(service.logs);
    expect(log).toContain('sign_in_refused');
    for (const secret of [...wrong, code, code.replaceAll('-', ''), await secretOf(visitor)]) {
      expect(secret).not.toBe('');
      expect(log).not.toContain(secret);
    }
    visitor.repeatedFailures.length = 0;
  });

  it('takes the code of a link, once, and out of the address', async () => {
    const link = `/sign-in#code=${await codeFor('viewer')}`;
    const visitor = await stage.visit({ role: null });
    const { page } = visitor;
    await page.goto(visitor.base + link);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(page.url()).not.toContain('code');

    const other = await stage.visit({ role: null });
    await other.page.goto(other.base + link);
    await other.page.getByText('Sign-in failed. Check what you entered and try again.').waitFor();
    expect(other.page.url()).not.toContain('code');
    const sent: (string | null)[] = [];
    other.page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.postData());
    });
    await other.page.getByText('Token', { exact: true }).click();
    await other.page.getByText('Code', { exact: true }).click();
    stage.world.service.clock.advance(MINUTE_MS);
    await other.page.getByLabel('One-time code').fill('ABCD-EFGH-2345');
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.page.getByText('Sign-in failed. Check what you entered and try again.').waitFor();
    expect(sent).toHaveLength(1);
    other.repeatedFailures.length = 0;
  });

  it('leads back to the very view when the session was ended elsewhere', async () => {
    const { access } = stage.world.service.context;
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await visitor.goto('/keys?state=DUE&sort=-VALID_UNTIL&q=harbour');
    for (const { id } of await access.sessions.list()) await access.sessions.end(id);

    await page.clock.runFor(MINUTE_MS);
    await page.getByLabel('One-time code').waitFor();
    expect(new URL(page.url()).pathname).toBe('/ops/vidimus/sign-in');
    await enterCode(page, await codeFor('viewer'));

    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(
      '/ops/vidimus/keys?state=DUE&sort=-VALID_UNTIL&q=harbour',
    );
    expect(await page.getByRole('button', { name: 'Due' }).getAttribute('aria-pressed')).toBe('true');
    visitor.repeatedFailures.length = 0;
  });

  it('signs out: the cookie is worth nothing any more, and Back shows no page of before', async () => {
    const { service } = stage.world;
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    const cookie = `${COOKIE}=${await secretOf(visitor)}`;
    await visitor.goto('/keys');
    await visitor.goto('/access?tab=audit');
    await page.getByRole('button', { name: 'operator' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('One-time code').waitFor();

    await page.goBack();

    await page.getByLabel('One-time code').waitFor();
    const answer = await fetch(`${service.url}/ops/vidimus/session`, { headers: { cookie } });
    expect(await answer.json()).toMatchObject({ signedIn: false });
  });
});

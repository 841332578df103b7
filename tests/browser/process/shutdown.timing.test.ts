import { afterEach, describe, expect, it } from 'vitest';

import { vidimus, writeConfig } from '../../cli/vidimus.js';
import { openRaw } from '../../support/clients/raw-http.js';
import { page as sitePage, startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import { findChromium } from '../support/chromium.js';
import { enterCode } from '../support/enter-code.js';
import { ALL_RESOURCES, setProcessStage } from './ui-of-process.js';

describe.skipIf(findChromium() === null)('stopping during a slow preview', () => {
  const stage = setProcessStage();
  let site: RemoteSite;
  afterEach(() => site?.close());

  /** A page that is answered when told. */
  function slowPage(): { asked: Promise<void>; release(): void } {
    let release = () => {};
    const asked = new Promise<void>((resolve) => {
      site.pages.set('/slow', (request, response) => {
        release = () => sitePage('<title>Slow but sure</title>')(request, response);
        resolve();
      });
    });
    return { asked, release: () => release() };
  }

  it('answers it, is not ready at once, ends with 0, and keeps stored previews but not memory', async () => {
    site = await startRemoteSite();
    await writeConfig(stage.folder, {
      ...ALL_RESOURCES,
      url_preview_ip_range_whitelist: ['127.0.0.0/8'],
    });
    const cli = (...args: string[]) => vidimus([...args, '-c', 'config.yaml'], { cwd: stage.folder });
    const first = stage.start(['serve', '-c', 'config.yaml']);
    await first.log('ready');
    const url = await first.url('previews');
    const token = (await cli('token', 'create', '--user', '@alice:notary.test')).stdout.trim();
    const slow = slowPage();
    const answer = fetch(`${url}/_svc/media/v3/preview_url?url=${encodeURIComponent(site.url('/slow'))}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await slow.asked;
    // The second probe is under way when the signal comes: from then on new connections are refused.
    const head = 'GET /health/ready HTTP/1.1\r\nHost: notary.test\r\n';
    const probe = openRaw(url, `${head}\r\n${head}`);
    expect(await probe.answer()).toMatchObject({ status: 200 });
    const stoppedAt = performance.now();
    first.child.kill('SIGTERM');
    await first.log('stopping');
    probe.socket.write('\r\n');
    expect(await probe.answer()).toMatchObject({ status: 503, body: expect.stringContaining('stopping') });
    slow.release();
    expect(await (await answer).json()).toMatchObject({ 'og:title': 'Slow but sure' });
    expect((await first.finished).code).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(20_000);

    expect((await cli('db', 'migrate')).stdout).toBe('Nothing to do: up to date.\n');
    const second = stage.start(['serve', '-c', 'config.yaml']);
    await second.log('ready');
    expect(second.stdout()).not.toContain('database migrated');
    const visitor = await stage.visit(`${await second.url('admin')}/admin`);
    await visitor.goto('/previews');
    await enterCode(visitor.page, (await cli('admin', 'sign-in-code')).stdout.trim());
    await visitor.page.getByRole('table', { name: 'Stored previews' }).getByText('Slow but sure').waitFor();
    await visitor.page.getByRole('tab', { name: 'In memory' }).click();
    await visitor.page.getByText('Nothing in memory').waitFor();
  });
});

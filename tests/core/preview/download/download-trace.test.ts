import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import type { TraceStep } from '../../../../src/core/base/trace.js';
import { page, redirect, startRemoteSite, type RemoteSite } from '../../../support/origins/remote-site.js';
import { createTestDownloader, outcome } from './download-setup.js';

const downloader = createTestDownloader();
let site: RemoteSite;

beforeAll(async () => {
  site = await startRemoteSite();
});
afterAll(() => site.close());
afterEach(() => {
  site.pages.clear();
  site.hits.length = 0;
});

async function stepsOf(path: string, acceptLanguage?: string[]): Promise<TraceStep[]> {
  const steps: TraceStep[] = [];
  const trace = { step: (step: TraceStep) => void steps.push(step) };
  const languages = acceptLanguage === undefined ? {} : { acceptLanguage };
  await outcome(downloader, { url: site.url(path), trace, ...languages });
  return steps;
}

describe('a watched download', () => {
  it('tells every stage of every hop to the trace', async () => {
    site.pages.set('/a', redirect('/b'));
    site.pages.set('/b', page('b'));

    const steps = await stepsOf('/a');

    const connecting = ['dns skipped', 'address ok', 'connect ok', 'tls skipped'];
    expect(steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
      ...connecting,
      'redirects ok',
      ...connecting,
      'download ok',
    ]);
    expect(steps.at(-1)?.detail).toMatchObject({ status: 200, bytes: 1, finalUrl: site.url('/b') });
  });

  it('tells a failure once, with its reason, at the stage it happened in', async () => {
    site.pages.set('/loop', redirect('/loop'));
    site.pages.set('/out', redirect('ftp://files.test/'));
    const failure = async (path: string) => {
      const steps = await stepsOf(path);
      return steps
        .filter(({ status }) => status === 'failed')
        .map(({ name, detail }) => [name, detail?.['reason']]);
    };

    expect(await failure('/nothing')).toEqual([['download', 'http_status']]);
    expect(await failure('/loop')).toEqual([['redirects', 'redirect_loop']]);
    expect(await failure('/out')).toEqual([['redirects', 'scheme']]);
  });

  it('sends the languages of a watched request in place of those of the configuration', async () => {
    site.pages.set('/a', page('x'));

    await stepsOf('/a', ['fr', 'it;q=0.1']);

    expect(site.hits[0]?.headers['accept-language']).toBe('fr, it;q=0.1');
  });
});

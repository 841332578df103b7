import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { MINUTE_MS } from '../../../src/core/base/clock.js';
import { findHealth } from '../../../src/core/notary/keys/fetch-store.js';
import { startDnsServer, type DnsServer } from '../../support/origins/dns-server.js';
import { postKey } from '../../support/clients/notary-client.js';
import { createToken, preview } from '../../support/clients/preview-client.js';
import { page, startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import { startTestService, type TestService } from '../../support/service.js';
import { createSystemNames, type SystemNames } from '../../support/system-names.js';

const SOME_MINUTES = 5;

let dns: DnsServer;
let names: SystemNames;
let site: RemoteSite;
let service: TestService;
/** With the ordinary patience for answers. */
let patient: TestService;

beforeAll(async () => {
  dns = await startDnsServer();
  names = await createSystemNames([dns.address]);
  site = await startRemoteSite();
  site.pages.set('/', page('<title>There</title>'));
  service = await startTestService({
    dnsFiles: names.files,
    settings: { previews: { dns_timeout: '300ms' } },
  });
  patient = await startTestService({ dnsFiles: names.files });
});
afterAll(async () => {
  await patient.remove();
  await service.remove();
  await site.close();
  await names.remove();
  await dns.close();
});

const serviceFor = (failure: string): TestService => (failure === 'silence' ? service : patient);

/** On a busy machine an answer may take longer than 300 ms: then it is asked for again some minutes later, no hour. */
async function minutesLater<T>(
  { context: { parts }, clock }: TestService,
  ask: () => Promise<T>,
  isThere: (answer: T) => boolean,
): Promise<T> {
  for (let minutes = 1; ; minutes += 1) {
    await expect.poll(() => parts.resolver.load.running).toBe(0);
    clock.advance(MINUTE_MS);
    const answer = await ask();
    if (isThere(answer) || minutes === SOME_MINUTES) return answer;
  }
}

const FAILURES = ['silence', 'SERVFAIL', 'REFUSED'] as const;

describe('a resolver of ours that does not answer, or only with an error', () => {
  it.each(FAILURES)('%s fails a preview for a minute, not for an hour', async (failure) => {
    const asked = serviceFor(failure);
    const token = await createToken(asked);
    const host = `${failure.toLowerCase()}.example`;
    dns.zones.set(host, { failure });
    const ask = () => preview(asked, token, site.url('/', host));
    expect(await ask()).toMatchObject({
      status: 502,
      body: { error: 'DNS resolution failure during URL preview generation' },
    });
    dns.zones.set(host, { A: ['127.0.0.1'] });
    expect((await ask()).status).toBe(502);
    const { body } = await minutesLater(asked, ask, ({ status }) => status === 200);
    expect(body).toMatchObject({ 'og:title': 'There' });
  });

  it('is silent and sends no server into back-off, and the failure is told', async () => {
    dns.zones.set('dead.example', { failure: 'silence' });
    for (let attempt = 0; attempt < 5; attempt += 1) await postKey(service.url, 'dead.example');
    const health = await findHealth(service.context.parts.database, ['dead.example']);
    expect(health.get('dead.example')).toMatchObject({
      failCount: 0,
      nextTryTs: 0,
      lastErrorReason: 'dns_timeout',
    });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/vidimus_dns_lookups_total\{outcome="dns_timeout"\} [1-9]/);
  });
});

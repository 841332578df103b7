import { afterAll, beforeAll } from 'vitest';

import { startDnsServer, type DnsServer } from './origins/dns-server.js';
import { createTestAuthority, type TestAuthority } from './origins/remote-server.js';
import { startTestService, type TestService, type TestServiceOptions } from './service.js';
import { setUp } from './set-up.js';
import { createSystemNames, type SystemNames } from './system-names.js';

/** A name server, the files of a system that uses it, and an authority for certificates. */
export interface World {
  readonly dns: DnsServer;
  readonly names: SystemNames;
  readonly authority: TestAuthority;
}

/** Sets it up for the tests around, before what they set up themselves. */
export function setWorld(): World {
  let world: World | null = null;
  beforeAll(async () => {
    const dns = await startDnsServer();
    world = { dns, names: await createSystemNames([dns.address]), authority: await createTestAuthority() };
  });
  afterAll(async () => {
    await world?.authority.remove();
    await world?.names.remove();
    await world?.dns.close();
  });
  const made = (): World => {
    if (world === null) throw new Error('not set up yet');
    return world;
  };
  return {
    get dns() {
      return made().dns;
    },
    get names() {
      return made().names;
    },
    get authority() {
      return made().authority;
    },
  };
}

/** The value of a metric with its labels as they stand in the text; 0 when it is not there. */
export async function metricOf({ url }: { url: string }, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { Connection: 'close' } })).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** A service for the tests around, set up before what they set up themselves; it is not started anew. */
export function setService(options: TestServiceOptions = {}): TestService {
  return setUp(() => startTestService(options));
}

/** The same with an authority that it trusts when it fetches keys. */
export function setNotary(options: TestServiceOptions = {}): {
  authority: TestAuthority;
  service: TestService;
} {
  const authority = setUp(createTestAuthority);
  return {
    authority,
    service: setUp(() => startTestService({ ...options, caPaths: [authority.caPath] })),
  };
}

import { afterAll, beforeAll } from 'vitest';

import { DAY_MS } from '../../../src/core/base/clock.js';
import type { KeyRecordOptions } from '../../support/origins/key-record-maker.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../support/service.js';

/** A service, and servers whose keys it is asked for. */
export interface KeyServers {
  readonly service: TestService;
  /** Another run of the service, on what is stored. */
  restart(): Promise<void>;
  /** Starts a server, whose record is valid for a day. */
  add(record?: Partial<KeyRecordOptions>): Promise<RemoteServer>;
}

/** Sets them up for the tests around. */
export function setKeyServers(): KeyServers {
  let authority: TestAuthority;
  let service: TestService;
  const remotes: RemoteServer[] = [];

  beforeAll(async () => {
    authority = await createTestAuthority();
    service = await startTestService({ caPaths: [authority.caPath] });
  });
  afterAll(async () => {
    await service.remove();
    await Promise.all(remotes.map(({ origin }) => origin.close()));
    await authority.remove();
  });

  return {
    get service() {
      return service;
    },
    restart: async () => {
      service = await service.restart();
    },
    add: async (record = {}) => {
      const validUntilTs = service.clock.now() + DAY_MS;
      const remote = await startRemoteServer(authority, { validUntilTs, ...record });
      remotes.push(remote);
      return remote;
    },
  };
}

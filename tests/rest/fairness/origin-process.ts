// An origin that answers for every name with a record of its own, in a process of its own: what it costs is not ours.
import { DAY_MS } from '../../../src/core/base/clock.js';
import { respondJson, startKeyOrigin } from '../../support/origins/key-origin.js';
import { makeKeyRecord, makeTestKey } from '../../support/origins/key-record-maker.js';
import type { TestCertificate } from '../../support/origins/test-ca.js';

/** What it serves: where, with which certificate, at which time. */
export interface OriginOrder {
  address: string;
  certificate: TestCertificate;
  nowTs: number;
}

process.once('message', ({ address, certificate, nowTs }: OriginOrder) => {
  const keys = [makeTestKey('k1')];
  const validUntilTs = nowTs + DAY_MS;
  void startKeyOrigin({
    address,
    certificate,
    respond: (request, response) => {
      const record = makeKeyRecord({ serverName: request.headers.host ?? '', keys, validUntilTs });
      respondJson(record)(request, response);
    },
  }).then(({ port }) => process.send?.(port));
});
process.once('disconnect', () => process.exit());

import { WitnessKey } from '@vidimus/tlog';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { AdminClient, startGraphqlService } from '../../support/clients/admin-client.js';
import { madeEntries, queueEntries } from '../../support/store/test-log.js';
import type { TestService } from '../../support/service.js';
import { PATIENCE_MS } from '../../support/patience.js';

const LOG = `query { log { origin verifierKey size checkpoint checkpointAt mergeDelayMs maximumMergeDelayMs waiting damage
  quorum witnessedSize
  witnesses { name verifierKey url lastCosignedAt lastCosignedSize failures lastError lastErrorAt } } }`;

const WITNESS_KEY = new WitnessKey('witness.test', Buffer.alloc(32, 11));

describe('the log for operators', () => {
  let service: TestService;
  let viewer: AdminClient;

  beforeAll(async () => {
    // Nobody listens there.
    const url = 'http://127.0.0.1:9/';
    service = await startGraphqlService({
      settings: { log: { witnesses: [{ verifier_key: WITNESS_KEY.verifierKey, url }] } },
    });
    viewer = await AdminClient.withToken(service, 'admin_read');
  });
  afterAll(() => service.remove());

  it('shows size, checkpoint, and what became of each witness', async () => {
    const { log: empty } = await viewer.data<{ log: unknown }>(LOG);
    expect(empty).toMatchObject({ size: 0, witnessedSize: 0, waiting: 0 });
    await queueEntries(service.context.parts.database, madeEntries(0, 7));
    service.context.parts.logQueue!.onCommitted();
    const at = new Date(service.clock.now()).toISOString();
    const { published } = service.context.services.log;
    await vi.waitFor(async () => {
      const { log } = await viewer.data<{ log: Record<string, unknown> }>(LOG);
      expect(log).toMatchObject({
        origin: 'notary.test/_svc/vidimus/v1/log',
        size: 7,
        checkpoint: published!.checkpoint,
        checkpointAt: at,
        maximumMergeDelayMs: 10_000,
        waiting: 0,
        damage: null,
        quorum: 1,
        witnessedSize: 0,
        witnesses: [
          {
            name: 'witness.test',
            verifierKey: WITNESS_KEY.verifierKey,
            url: 'http://127.0.0.1:9/',
            lastCosignedAt: null,
            lastCosignedSize: null,
            lastError: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\//) as string,
          },
        ],
      });
    }, PATIENCE_MS);
  });

  it('is null where it is off', async () => {
    const off = await startGraphqlService({ settings: { log: { enabled: false } } });
    const client = await AdminClient.withToken(off, 'admin_read');
    expect(await client.data(LOG)).toEqual({ log: null });
    await off.remove();
  });
});

import { WitnessKey } from '@vidimus/tlog';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { AdminClient, startGraphqlService } from '../../support/clients/admin-client.js';
import { madeEntries, queueEntries } from '../../support/store/test-log.js';
import type { TestService } from '../../support/service.js';
import { PATIENCE_MS } from '../../support/patience.js';

const LOG = `query { log { origin verifierKey size checkpoint checkpointAt mergeDelayMs maximumMergeDelayMs waiting damage
  quorum witnessedSize unwitnessedMs growth { day entries }
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

  it('shows size, checkpoint, growth, and what became of each witness', async () => {
    const { log: empty } = await viewer.data<{ log: unknown }>(LOG);
    expect(empty).toMatchObject({ size: 0, growth: [], witnessedSize: 0, waiting: 0 });
    for (const count of [3, 4]) {
      await queueEntries(service.context.parts.database, madeEntries(0, count));
      const before = service.context.services.log.published!.size;
      await vi.waitFor(
        () => expect(service.context.services.log.published!.size).toBe(before + count),
        PATIENCE_MS,
      );
      service.clock.advance(24 * 3_600_000);
    }
    const at = new Date(service.clock.now() - 24 * 3_600_000).toISOString();
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
        growth: [{ day: `${at.slice(0, 10)}T00:00:00.000Z`, entries: 4 }, { entries: 3 }],
        witnesses: [
          {
            name: 'witness.test',
            verifierKey: WITNESS_KEY.verifierKey,
            url: 'http://127.0.0.1:9/add-checkpoint',
            lastCosignedAt: null,
            lastCosignedSize: null,
            lastError: expect.stringMatching(/^Connection refused: /) as string,
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

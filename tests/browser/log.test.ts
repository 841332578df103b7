import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { checkProof } from '../../src/core/notary/log/follower/check-proof.js';
import { VerifierKey } from '../../src/core/notary/log/notes/verifier-key.js';
import { checkpointOf } from '../support/clients/log-client.js';
import { startTestService, type TestService } from '../support/service.js';
import { WITNESS_KEY } from '../support/store/test-witness.js';
import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { HEALTHY } from './support/world.js';

describe.skipIf(findChromium() === null)('the log', () => {
  const stage = setStage();
  let witness: TestService;
  let key = '';

  beforeAll(async () => {
    const { world } = stage;
    key = world.service.context.services.log.status!.view().verifierKey;
    witness = await startTestService({
      clock: world.service.clock,
      settings: {
        listeners: [{ port: 0, resources: ['witness'] }],
        witness: { logs: [{ verifier_key: key }] },
      },
    });
    const url = `${witness.url}/_svc/vidimus/v1/witness/`;
    const witnesses = [
      { verifier_key: witness.context.witness.verifierKey, url },
      // Knows nothing of its name.
      { verifier_key: WITNESS_KEY.verifierKey, url },
    ];
    await world.restart({ log: { witnesses } });
    await world.askKeys(HEALTHY);
    await checkpointOf(world.service.url, 1);
  });
  afterAll(() => witness?.remove());

  it('shows who follows it how, and when each witness last cosigned', async () => {
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto('/log');

    const line = page.getByLabel('line to follow the log', { exact: true });
    expect(await line.textContent()).toMatch(
      /^\S.* log verify 'https:\/\/notary\.test\/_svc\/vidimus\/v1\/log' --key '/,
    );
    expect(await line.textContent()).toContain(key);
    expect(await page.getByLabel('checkpoint', { exact: true }).textContent()).toMatch(
      /^notary\.test\/_svc\/vidimus\/v1\/log\n1\n/,
    );
    const [first, second] = [0, 1].map((index) =>
      page.getByRole('list', { name: 'Witnesses' }).getByRole('listitem').nth(index),
    );
    await page.getByText('all entries witnessed').waitFor();
    await first!.getByText('cosigns', { exact: true }).waitFor();
    expect(await first!.textContent()).toContain('1 entry');
    await second!.getByText('did not cosign').waitFor();
    expect(await second!.textContent()).toContain('none yet');
    expect(await visitor.violations()).toEqual([]);
  });

  it.each(['records', 'events'])('gives proofs of %s that can be checked without asking', async (tab) => {
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto(`/keys/${HEALTHY}?tab=${tab}`);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download proof' }).first().click();
    const download = await downloading;

    const proof = await readFile(await download.path(), 'utf8');
    const proven = checkProof(proof, VerifierKey.parse(key)!);
    if (typeof proven === 'string') throw new Error(proven);
    expect(JSON.parse(proven.entry.toString())).toMatchObject({ server_name: HEALTHY });
    const line = await page.getByLabel('line to check the proof', { exact: true }).textContent();
    expect(line).toContain(`log check ${download.suggestedFilename()} --key '${key}'`);
    expect(await visitor.violations()).toEqual([]);
  });
});

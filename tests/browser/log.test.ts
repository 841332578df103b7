import { readFile } from 'node:fs/promises';

import { VerifierKey, WitnessKey, checkProof } from '@vidimus/tlog';
import { beforeAll, describe, expect, it } from 'vitest';

import { checkpointOf } from '../support/clients/log-client.js';
import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { HEALTHY } from './support/world.js';

describe.skipIf(findChromium() === null)('the log', () => {
  const stage = setStage();
  let key = '';

  beforeAll(async () => {
    const { world } = stage;
    key = world.service.context.services.log.status!.key.verifierKey;
    // Answers, and is not a witness.
    const url = `${world.service.url}/`;
    const verifierKey = new WitnessKey('witness.test', Buffer.alloc(32, 11)).verifierKey;
    await world.restart({ log: { witnesses: [{ verifier_key: verifierKey, url }] } });
    await world.askKeys(HEALTHY);
    await checkpointOf(world.service.url, 1);
  });

  it('shows who follows it how, and when each witness last cosigned', async () => {
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto('/our-keys?tab=log');

    const line = page.getByLabel('line to follow the log', { exact: true });
    expect(await line.textContent()).toMatch(
      /^tlog verify 'https:\/\/notary\.test\/_svc\/vidimus\/v1\/log' --key '/,
    );
    expect(await line.textContent()).toContain(key);
    expect(await page.getByLabel('checkpoint', { exact: true }).textContent()).toMatch(
      /^notary\.test\/_svc\/vidimus\/v1\/log\n1\n/,
    );
    const witness = page.getByRole('table', { name: 'Witnesses' }).getByRole('row').last();
    await witness.getByText('did not cosign').waitFor();
    expect(await witness.textContent()).toContain('none yet');
    expect(await visitor.violations()).toEqual([]);
  });

  it.each(['records', 'events'])('gives proofs of %s that can be checked without asking', async (tab) => {
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto(`/keys/${HEALTHY}?tab=${tab}`);
    const downloading = page.waitForEvent('download');
    await page
      .getByRole('main')
      .getByRole('button', { name: /^Actions/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Download proof' }).click();
    const download = await downloading;

    const proof = await readFile(await download.path(), 'utf8');
    const proven = checkProof(proof, VerifierKey.parse(key)!);
    if (typeof proven === 'string') throw new Error(proven);
    expect(JSON.parse(proven.entry.toString())).toMatchObject({ server_name: HEALTHY });
    const line = await page.getByLabel('line to check the proof', { exact: true }).textContent();
    expect(line).toContain(`tlog check ${download.suggestedFilename()} --key '${key}'`);
    expect(await visitor.violations()).toEqual([]);
  });
});

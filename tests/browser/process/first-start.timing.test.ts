import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { vidimus } from '../../cli/vidimus.js';
import { findChromium } from '../support/chromium.js';
import { enterCode } from '../support/enter-code.js';
import { invitation, setProcessStage } from './ui-of-process.js';

/** Free ports in place of the usual ones. */
const FREE_PORTS = {
  VIDIMUS__LISTENERS: '[{port: 0, resources: [keys, health]}, {port: 0, resources: [admin]}]',
};

describe.skipIf(findChromium() === null)('the first start', () => {
  const stage = setProcessStage();

  it('prints within 20 s where to go and a code, which opens the pages once and never again', async () => {
    const startedTs = performance.now();
    const { base, code } = await invitation(stage.start(['serve'], FREE_PORTS));
    expect(performance.now() - startedTs).toBeLessThan(20_000);

    const visitor = await stage.visit(base);
    await visitor.goto('/');
    await enterCode(visitor.page, code);
    await visitor.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    const other = await stage.visit(base);
    await other.goto('/');
    await enterCode(other.page, code);
    await other.page.getByText('That did not work. Check it and try again.').waitFor();
    other.repeatedFailures.length = 0;
  });

  it('works with the generated configuration and no edit but the server name, its key file private', async () => {
    const cwd = stage.folder;
    const path = join(cwd, 'config.yaml');
    expect(await vidimus(['config', 'generate', '-o', 'config.yaml'], { cwd })).toMatchObject({ code: 0 });
    const generated = await readFile(path, 'utf8');
    const edited = generated.replace(/^#server_name: .*$/m, 'server_name: notary.meadow.example');
    expect(edited).not.toBe(generated);
    await writeFile(path, edited);
    expect(await vidimus(['config', 'check', '-c', 'config.yaml'], { cwd })).toMatchObject({ code: 0 });

    const program = stage.start(['serve', '-c', 'config.yaml'], FREE_PORTS);
    const { base, code } = await invitation(program);
    const visitor = await stage.visit(base);
    await visitor.goto('/our-keys');
    await enterCode(visitor.page, code);

    await visitor.page.getByRole('heading', { level: 1, name: 'Our signing keys' }).waitFor();
    await visitor.page.getByText('notary.meadow.example').first().waitFor();
    const keyPath = join(cwd, 'data', 'signing.key');
    const [, keyId = ''] = (await readFile(keyPath, 'utf8')).split(' ');
    await visitor.page.getByText(`ed25519:${keyId}`).first().waitFor();
    expect((await stat(keyPath)).mode & 0o777).toBe(0o600);
  });
});

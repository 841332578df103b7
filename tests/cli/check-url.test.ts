import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runHere } from './in-process.js';
import { temporaryFolder, vidimus, writeConfig } from './vidimus.js';

describe('vidimus check-url', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await writeConfig(folder.path, {
      url_preview_url_blacklist: [{ hostname: '*.blocked.test' }, { path: '^/private' }],
      dns: { hosts: { 'inside.test': ['10.0.0.7'], 'open.test': ['198.51.99.1'] } },
    });
  });
  afterAll(() => folder.remove());
  const lineOf = (...args: string[]) => ['check-url', ...args, '-c', 'config.yaml'];
  const check = (...args: string[]) => runHere(lineOf(...args), { cwd: folder.path });

  it('names the entries that match, with their lines, and exits with 1', async () => {
    const line = lineOf('http://WWW.blocked.test/private?q=1');
    const { code, stdout } = await vidimus(line, { cwd: folder.path });

    expect(code).toBe(1);
    expect(stdout).toMatch(/^Blocked by entry 0 of url_preview_url_blacklist \(config\.yaml:\d+\)\.\n/);
    expect(stdout).toMatch(/hostname +www\.blocked\.test/);
    expect(stdout).toMatch(/1 +path: \^\/private +config\.yaml:\d+/);
  });

  it('judges addresses only when told to resolve, and exits with 0 for what is allowed', async () => {
    expect(await check('http://inside.test/')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^No rule matches\.\n/),
    });
    const refused = await check('http://inside.test/', '--resolve', '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      blocked: true,
      addresses: [
        {
          address: '10.0.0.7',
          allowed: false,
          rule: { origin: 'built in', parts: [{ pattern: '10.0.0.0/8' }] },
        },
      ],
    });
    expect(await check('http://open.test/', '--resolve')).toMatchObject({ code: 0 });
  });

  it('shows what a terminal would obey as text', async () => {
    const { stdout } = await check('http://a.test/\u001b[31m\u202e');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('\u202e');
  });
});

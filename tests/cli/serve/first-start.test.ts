import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';

import { AccessTokenStore } from '../../../src/core/access/users/access-token-store.js';
import { systemClock } from '../../../src/core/base/clock.js';
import { openDatabase } from '../../../src/core/store/db.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { startVidimus, temporaryFolder } from '../vidimus.js';
import { storeToken } from '../../support/store/stored-token.js';
import { setUpEach } from '../../support/set-up.js';

/** Free ports instead of the usual ones; everything else as on a first start. */
const FREE_PORTS = {
  VIDIMUS__LISTENERS: '[{port: 0, resources: [keys, health]}, {port: 0, resources: [metrics]}]',
};
const TOKEN = /\bvid_[A-Za-z0-9_-]{32}(?![A-Za-z0-9_-])/g;

describe('vidimus serve without a configuration', () => {
  const folder = setUpEach(temporaryFolder);
  let tokenPath: string;
  beforeEach(async () => {
    tokenPath = join(folder.path, 'data', 'access-token');
  });

  /** Starts, waits for the whole welcome, does the work and stops. */
  async function firstStart<T>(
    work: (welcome: string, logs: () => string) => Promise<T>,
    env: Record<string, string> = FREE_PORTS,
  ): Promise<T> {
    const running = startVidimus(['serve'], { cwd: folder.path, env });
    try {
      await running.log('ready');
      const welcome = await new Promise<string>((resolve) => {
        const look = () => {
          if (running.stderr().includes('--config config.yaml')) resolve(running.stderr());
        };
        running.child.stderr?.on('data', look);
        look();
      });
      return await work(welcome, () => running.stdout());
    } finally {
      running.child.kill('SIGTERM');
      expect((await running.finished).code).toBe(0);
    }
  }
  const tokenOf = (welcome: string) => [...new Set(welcome.match(TOKEN))];
  const printedToken = () => firstStart((welcome) => Promise.resolve(tokenOf(welcome)[0] ?? ''));
  const modeOf = async (name: string) => (await stat(join(folder.path, 'data', name))).mode & 0o777;

  it('listens on loopback and prints curl lines that all work as printed', async () => {
    await firstStart(async (welcome) => {
      const addresses = [...welcome.matchAll(/curl (\S+)\n/g)].map(([, url]) => url ?? '');
      expect(addresses.map((url) => new URL(url).pathname)).toEqual([
        '/_svc/key/v2/server',
        '/_svc/key/v2/query/localhost',
        '/health/ready',
        '/metrics',
      ]);
      for (const url of addresses) {
        expect(new URL(url).hostname).toBe('127.0.0.1');
        expect((await fetch(url)).status).toBe(200);
      }
      expect(welcome).not.toContain('\u001b');
    });
  });

  async function inStore<T>(work: (tokens: AccessTokenStore) => Promise<T>): Promise<T> {
    const path = join(folder.path, 'data', 'vidimus.db');
    const options = { engine: 'sqlite', path, synchronous: 'normal' } as const;
    const database = await openDatabase(options, createLogger({ level: 'silent' }));
    try {
      return await work(new AccessTokenStore(database, systemClock));
    } finally {
      await database.close();
    }
  }

  it('prints a token that the store knows, and keeps it readable by the owner only', async () => {
    const token = await firstStart((welcome) => Promise.resolve(tokenOf(welcome)[0] ?? ''));

    const owner = await inStore((tokens) => tokens.findValid(token));
    expect(owner?.userId).toBe('@operator:localhost');
    expect(await readFile(tokenPath, 'utf8')).toBe(`${token}\n`);
    expect([await modeOf('access-token'), await modeOf('signing.key')]).toEqual([0o600, 0o600]);
  });

  it('prints a new token at the next start, and with a name the server takes neither from its first answer on', async () => {
    const tokens = [await printedToken(), await printedToken()];
    const known = await inStore((store) => Promise.all(tokens.map((token) => store.findValid(token))));
    expect(known).toEqual([null, expect.objectContaining({ userId: '@operator:localhost' })]);
    expect(await modeOf('access-token')).toBe(0o600);

    const env = {
      VIDIMUS__LISTENERS: '[{port: 0, resources: [previews]}]',
      VIDIMUS__SERVER_NAME: 'notary.example',
    };
    const running = startVidimus(['serve'], { cwd: folder.path, env });
    const url = `${await running.url('previews')}/_svc/media/r0/preview_url?url=http://127.0.0.1/`;
    const headers = { authorization: `Bearer ${tokens[1]}` };
    let status = 503;
    while (status === 503) ({ status } = await fetch(url, { headers }));
    running.child.kill('SIGTERM');
    await running.finished;

    expect(status).toBe(401);
  });

  it("prints where the operators' pages are, and a code that signs in once and stands in no log line", async () => {
    const env = { VIDIMUS__LISTENERS: '[{port: 0, resources: [health, admin]}]' };
    await firstStart(async (welcome, logs) => {
      const [, url = '', code = ''] = /(http:\S+\/admin\/) +sign in with the code (\S+)/.exec(welcome) ?? [];
      const signIn = () =>
        fetch(`${url}session`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
          body: JSON.stringify({ code }),
        });

      expect([(await signIn()).status, (await signIn()).status]).toEqual([200, 401]);
      expect(logs()).not.toContain(code);
    }, env);
  });

  it('prints one line with address and code for a server of a name, until somebody has signed in', async () => {
    const env = {
      VIDIMUS__LISTENERS: '[{port: 0, resources: [admin]}]',
      VIDIMUS__SERVER_NAME: 'notary.example',
    };
    const start = async () => {
      const running = startVidimus(['serve'], { cwd: folder.path, env });
      await running.log('ready');
      running.child.kill('SIGTERM');
      return (await running.finished).stderr;
    };
    const line =
      /^Operators' pages: http:\/\/127\.0\.0\.1:\d+\/admin\/ – sign in with the code (\S{14}) \(once, within 15m\)\n$/;
    expect(await start()).toMatch(line);
    expect(await start()).toMatch(line);

    const path = join(folder.path, 'data/vidimus.db');
    await storeToken({ engine: 'sqlite', path, synchronous: 'full' }, { scopes: ['admin_write'] });

    expect(await start()).toBe('');
  });
});

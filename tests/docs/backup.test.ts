import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runHere } from '../cli/in-process.js';
import { PROGRAM, plainEnvironment, startVidimus, writeConfig } from '../cli/vidimus.js';
import { sampleImage } from '../core/preview/media/sample-images.js';
import { checkpointOf } from '../support/clients/log-client.js';
import { postKey } from '../support/clients/notary-client.js';
import { mediaPath } from '../support/clients/preview-client.js';
import { makeTestKey } from '../support/origins/key-record-maker.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../support/origins/remote-server.js';
import { page, startRemoteSite, type RemoteSite } from '../support/origins/remote-site.js';
import { createLogger } from '../../src/core/base/logger.js';
import { openDatabase } from '../../src/core/store/db.js';
import { createEmptyDatabase, testEngines, type TestDatabase } from '../support/store/databases.js';
import { blocksToRun } from './page-commands.js';

/** What clients and peers get. */
interface Seen {
  keys: string;
  preview: string;
  image: string;
  checkpoint: string;
}


describe.each(testEngines())('docs/BACKUP.md, docs/UPGRADE.md and docs/SCALING.md on %s', (engine) => {
  let cwd: string;
  let authority: TestAuthority;
  let remote: RemoteServer;
  let site: RemoteSite;
  let token: string;
  let before: Seen;
  /** Those of the preview; the service's own proof stores more when the machine is slow. */
  let mediaCount: number;
  const databases: TestDatabase[] = [];

  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'vidimus-backup-'));
    authority = await createTestAuthority();
    remote = await startRemoteServer(authority, { keys: [makeTestKey('k1')], validUntilTs: 4_102_444_800_000 });
    site = await startRemoteSite();
    site.pages.set('/p.png', page(await sampleImage(300, 200).png().toBuffer(), { type: 'image/png' }));
    site.pages.set('/a', page('<meta property="og:title" content="A"><meta property="og:image" content="/p.png">'));
    await configure();
  });
  afterAll(async () => {
    await site.close();
    await remote.origin.close();
    await authority.remove();
    for (const { cleanup } of databases) await cleanup();
    await rm(cwd, { recursive: true, force: true });
  });

  /** On an empty database; of SQLite the one of the defaults. */
  const configure = async (): Promise<void> => {
    if (engine === 'postgresql') databases.push(await createEmptyDatabase(engine));
    const options = databases.at(-1)?.options;
    await writeConfig(cwd, {
      listeners: [{ port: 0, resources: ['keys', 'previews', 'media', 'health'] }],
      ...(options?.engine === 'postgresql' ? { database: { engine, url: options.url } } : {}),
      dns: { hosts: { 'site.test': ['127.0.0.1'] } },
      url_preview_ip_range_whitelist: ['127.0.0.0/8'],
      ip_range_whitelist: ['127.0.0.0/8'],
      federation_custom_ca_list: [authority.caPath],
    });
  };
  const makeToken = async (): Promise<string> => {
    const args = ['token', 'create', '--user', '@alice:notary.test', '--json', '-c', 'config.yaml'];
    return (JSON.parse((await runHere(args, { cwd })).stdout) as { token: string }).token;
  };
  const withServer = async <T>(work: (url: string) => Promise<T>, config = 'config.yaml'): Promise<T> => {
    const running = startVidimus(['serve', '-c', config], { cwd });
    try {
      await running.log('ready');
      return await work(await running.url('keys'));
    } finally {
      running.child.kill('SIGTERM');
      await running.finished;
    }
  };
  const copyTo = (to: string) => runHere(['db', 'copy', '--from', 'config.yaml', '--to', to], { cwd });
  const look = async (url: string): Promise<Seen> => {
    const headers = { Authorization: `Bearer ${token}` };
    const target = new URLSearchParams({ url: site.url('/a', 'site.test') });
    const answer = await fetch(`${url}/_svc/media/v3/preview_url?${target.toString()}`, { headers });
    const preview = await answer.text();
    const uri = (JSON.parse(preview) as Record<string, string>)['og:image'];
    const image = await fetch(`${url}/_svc/client/v1/media/download/${mediaPath(uri)}`, { headers });
    const { records } = await postKey(url, remote.serverName);
    return {
      keys: JSON.stringify(records[0]?.verify_keys),
      preview,
      image: `${image.status} ${Buffer.from(await image.arrayBuffer()).toString('base64')}`,
      checkpoint: (await checkpointOf(url, 1)).root,
    };
  };
  const run = (command: string) => {
    const script = `set -e\nvidimus() { node '${PROGRAM}' "$@"; }\n${command}`;
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script], {
      cwd,
      env: plainEnvironment(),
      encoding: 'utf8',
    });
    expect({ command, status, stdout, stderr }).toEqual({ command, status: 0, stdout, stderr });
    return stdout;
  };

  it('have commands that work as they stand: what was lost is answered as before', async () => {
    const [backUp, moveAway, restore] = blocksToRun('docs/BACKUP.md', 3) as [string, string, string];
    before = await withServer(async (url) => {
      token = await makeToken();
      const seen = await look(url);
      const written = /^\d+ rows, which name (\d+) media files of .*\nmedia: (\d+) copied, 0 were there/.exec(run(backUp));
      mediaCount = Number(written?.[1]);
      expect(mediaCount).toBeGreaterThanOrEqual(2);
      expect(Number(written?.[2])).toBeGreaterThanOrEqual(mediaCount);
      return seen;
    });
    const modes = await Promise.all(
      ['backup', 'backup/database.jsonl.gz', 'backup/signing.key'].map(async (name) =>
        ((await stat(join(cwd, name))).mode & 0o777).toString(8),
      ),
    );
    expect(modes).toEqual(['700', '600', '600']);
    const requests = site.hits.length;

    run(moveAway);
    await configure();
    const restored = run(restore);
    const after = await withServer(async (url) => {
      const seen = await look(url);
      await writeFile(join(cwd, 'copy.yaml'), JSON.stringify({ server_name: 'notary.test', database: { path: 'copy.db' } }));
      const running = engine === 'sqlite' ? /is in use by process \d+/ : /A server runs on the source: /;
      const args = ['db', 'restore', 'backup/database.jsonl.gz', '-c', 'config.yaml'];
      const [refused, copied] = await Promise.all([runHere(args, { cwd }), copyTo('copy.yaml')]);
      expect(copied.stderr).toMatch(running);
      expect(refused.stderr).toMatch(engine === 'sqlite' ? /is in use by process \d+/ : /The target is not empty/);
      return seen;
    });

    expect(restored).toMatch(/rows copied, 0 were there; each was read back and compared\./);
    expect(restored).toContain('No media is missing.');
    expect(after).toEqual(before);
    expect(site.hits).toHaveLength(requests);
  });

  if (engine !== 'sqlite') return;

  it('say which media is missing when it was left out, and forget its previews', async () => {
    const path = join(cwd, 'other.db');
    const env = { VIDIMUS__DATABASE__PATH: path, VIDIMUS__MEDIA_STORE_PATH: join(cwd, 'none') };
    const args = ['db', 'restore', 'backup/database.jsonl.gz', '-c', 'config.yaml'];

    const restored = await runHere(args, { cwd, env });

    expect(restored.stdout).toMatch(
      new RegExp(`Media that is missing: ${mediaCount}\\n {2}\\d{4}-\\d\\d-\\d\\d_\\w{16}\\n`),
    );
    const database = await openDatabase({ engine: 'sqlite', path, synchronous: 'normal' }, createLogger({ level: 'silent' }));
    const left = await database.client.previewCache.count();
    const marked = await database.client.media.count({ where: { missingSinceTs: { not: null } } });
    await database.close();
    expect([left, marked]).toEqual([0, mediaCount]);
  });

  it('lead through an upgrade', () => {
    const commands = blocksToRun('docs/UPGRADE.md', 3);

    const outputs = commands.map((command) => run(command));

    expect(outputs[1]).toContain('The database is up to date.');
    expect(existsSync(join(cwd, 'before-upgrade.jsonl.gz'))).toBe(true);
  });

  it.runIf(testEngines().length > 1)('lead from SQLite to PostgreSQL', async () => {
    const target = await createEmptyDatabase('postgresql');
    databases.push(target);
    const { options } = target;
    const config = JSON.parse(await readFile(join(cwd, 'config.yaml'), 'utf8')) as object;
    const url = options.engine === 'postgresql' ? options.url : '';
    const moved = { ...config, log: { key_path: 'data/log.key' }, database: { engine: 'postgresql', url } };
    await writeFile(join(cwd, 'postgresql.yaml'), JSON.stringify(moved));
    await writeFile(join(cwd, 'other.yaml'), JSON.stringify({ ...moved, server_name: 'other.test' }));
    const [command = ''] = blocksToRun('docs/SCALING.md', 1);

    expect((await copyTo('other.yaml')).stderr).toContain('The database belongs to the server notary.test');
    const copied = run(command);
    const after = await withServer(look, 'postgresql.yaml');

    expect(copied).toMatch(/^\d+ rows copied, 0 were there; each was read back and compared\./);
    expect(after).toEqual(before);
  });
});

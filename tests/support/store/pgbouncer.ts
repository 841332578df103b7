import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { listenOnFreshPort } from '../fresh-port.js';

const PROGRAM = '/usr/sbin/pgbouncer';
/** It refuses to run as root; `nobody` has this number on every common system. */
const NOBODY = 65_534;

/** A real PgBouncer on loopback in front of a database. */
export interface PgBouncer {
  /** Connection URL of the same database through it. */
  url: string;
  remove(): Promise<void>;
}

/** Why there can be none here; `null`: there can. */
export function pgBouncerMissing(): string | null {
  return existsSync(PROGRAM) ? null : `skipped: there is no ${PROGRAM} (Debian package pgbouncer)`;
}

/** Lends out a connection for one transaction, of which it has so few that clients meet on them. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-pgbouncer-'));
  await chmod(folder, 0o755);
  const [config, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users')];
  const probe = createServer();
  const listenPort = await listenOnFreshPort(probe, '127.0.0.1');
  probe.close();
  await once(probe, 'close');
  await writeFile(users, `"${username}" "${password}"\n`);
  const lines = [
    `[databases]\n* = host=${hostname} port=${port}`,
    `[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${listenPort}\nunix_socket_dir =`,
    `auth_type = scram-sha-256\nauth_file = ${users}`,
    'pool_mode = transaction\ndefault_pool_size = 3\nmax_client_conn = 100\n',
  ];
  await writeFile(config, lines.join('\n'));
  const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(PROGRAM, [config], { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  await said(child.stderr, 'process up');
  return {
    url: `postgresql://${username}:${password}@127.0.0.1:${listenPort}${pathname}`,
    remove: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves once the text was written; rejects when the stream ends without it. */
function said(stream: NodeJS.ReadableStream, text: string): Promise<void> {
  let all = '';
  return new Promise((resolve, reject) => {
    stream.on('data', (part: Buffer) => {
      all += part.toString();
      if (all.includes(text)) resolve();
    });
    stream.once('end', () => reject(new Error(`pgbouncer ended: ${all}`)));
  });
}

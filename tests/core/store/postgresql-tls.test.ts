import { chown, copyFile, mkdtemp, chmod, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createLogger } from '../../../src/core/base/logger.js';
import { openDatabase } from '../../../src/core/store/db.js';
import { storeErrorLine } from '../../../src/core/store/store-errors.js';
import { createTestAuthority, type TestAuthority } from '../../support/origins/remote-server.js';
import { testEngines } from '../../support/store/databases.js';
import { startPostgresServer, type PostgresServer } from '../../support/store/postgres-server.js';

const NOBODY = 65_534;
const logger = createLogger({ level: 'silent' });

describe.runIf(testEngines().includes('postgresql'))('sslmode in database.url, as libpq has it', () => {
  let authority: TestAuthority;
  let other: TestAuthority;
  let folder: string;
  let server: PostgresServer;

  beforeAll(async () => {
    [authority, other] = await Promise.all([createTestAuthority(), createTestAuthority()]);
    folder = await mkdtemp(join(tmpdir(), 'vidimus-pg-tls-'));
    await chmod(folder, 0o755);
    const leaf = await authority.leaf({ names: ['db.test'] });
    const [certificate, key] = [join(folder, 'server.crt'), join(folder, 'server.key')];
    await writeFile(certificate, leaf.cert);
    await writeFile(key, leaf.key, { mode: 0o600 });
    if (process.getuid?.() === 0) await chown(key, NOBODY, NOBODY);
    await copyFile(authority.caPath, join(folder, 'ca.pem'));
    server = await startPostgresServer(tmpdir(), {
      ssl: 'on',
      ssl_cert_file: certificate,
      ssl_key_file: key,
    });
  });
  afterAll(async () => {
    await server.remove();
    await Promise.all([authority.remove(), other.remove(), rm(folder, { recursive: true, force: true })]);
  });

  /** Whether the connection is encrypted, or why there is none. */
  const connect = async (parameters: string): Promise<unknown> => {
    const options = { engine: 'postgresql', url: `${server.url()}${parameters}`, maxConnections: 2 } as const;
    const database = await openDatabase(options, logger);
    try {
      const rows = await database.client.$queryRawUnsafe<{ ssl: boolean }[]>(
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      );
      return rows[0]?.ssl;
    } catch (error) {
      return storeErrorLine(error, options);
    } finally {
      await database.close();
    }
  };

  it.each([
    ['', false],
    ['?sslmode=disable', false],
    ['?sslmode=require', true],
    ['?sslmode=no-verify', true],
  ])('%j connects; encrypted: %s', async (parameters, isEncrypted) => {
    expect(await connect(parameters)).toBe(isEncrypted);
  });

  it('checks the issuer alone with verify-ca, and with require when a file is named', async () => {
    for (const mode of ['require', 'verify-ca']) {
      expect(await connect(`?sslmode=${mode}&sslrootcert=${authority.caPath}`)).toBe(true);
      expect(await connect(`?sslmode=${mode}&sslrootcert=${other.caPath}`)).toMatch(
        /certificate of the database.*127\.0\.0\.1.*sslrootcert=FILE.*sslmode=require/,
      );
    }
  });

  it('checks the host name as well with verify-full', async () => {
    expect(await connect(`?sslmode=verify-full&sslrootcert=${authority.caPath}`)).toMatch(
      /certificate of the database.*another host name/,
    );
  });
});

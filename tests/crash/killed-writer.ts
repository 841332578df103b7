// Writes to a SQLite file until it is killed, and tells each row once it is acknowledged. Arguments: path, name.
import { writeSync } from 'node:fs';

import { createLogger } from '../../src/core/base/logger.js';
import { openDatabase } from '../../src/core/store/db.js';

const [, , path = '', name = ''] = process.argv;
const WRITERS = 4;
const options = { engine: 'sqlite', path, synchronous: 'normal' } as const;
const { client } = await openDatabase(options, createLogger({ level: 'silent' }));
const row = (serverName: string) => ({
  serverName,
  firstAskedTs: 1n,
});

async function write(writer: number): Promise<never> {
  for (let n = 0; ; n += 1) {
    const serverName = `${name}-${writer}-${n}`;
    if (n % 2 === 0) await client.remoteServer.create({ data: row(serverName) });
    else
      await client.$transaction(async (tx) => {
        await tx.remoteServer.create({ data: row(serverName) });
        await tx.remoteServer.count();
      });
    writeSync(1, `${serverName}\n`);
  }
}

/** What is written here never stays, and takes nothing of the others with it. */
async function rollBack(): Promise<never> {
  for (let n = 0; ; n += 1) {
    const work = client.$transaction(async (tx) => {
      await tx.remoteServer.create({ data: row(`rolled-back-${name}-${n}`) });
      await tx.remoteServer.count();
      throw new Error('rolled back');
    });
    await work.catch(() => undefined);
  }
}

await Promise.all([rollBack(), ...Array.from({ length: WRITERS }, (_, writer) => write(writer))]);

import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

import { LogKey, WitnessKey, readCheckpoint, verifyConsistency } from '@vidimus/tlog';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { loadLogKey } from '../../../src/core/notary/log/log-key-file.js';
import { checkpointOf, getLog } from '../../support/clients/log-client.js';
import { askChecker, buildChecker, whyNoGo } from '../../support/go-tlog/checker.js';
import {
  growTo,
  madeEntries,
  openTestLog,
  queueEntries,
  type TestLog,
} from '../../support/store/test-log.js';
import { startTestService, type TestService } from '../../support/service.js';

const WITNESS_KEY = new WitnessKey('witness.test', Buffer.alloc(32, 11));
const LARGEST = 66_000;
const EVERY = 300;
/** All of them are signed before the first test; beside three other files that takes a minute. */
const SIGNING_TIMEOUT_MS = 300_000;
/** Where a note ends: Go takes any value of the bits that its last character does not use. */
const UNUSED_BYTES = 4;

const reason = whyNoGo();
if (reason !== null) process.stderr.write(`\n*** THE LOG IS NOT READ WITH GO'S PACKAGES${reason}\n\n`);

/** Everything that was served, by path. */
type Served = Map<string, Buffer>;

describe.skipIf(reason !== null)(`sumdb/note and sumdb/tlog of Go${reason ?? ''}`, () => {
  let folder: string;
  let service: TestService;
  let signer: TestLog;
  let key: LogKey;
  let address: string;
  /** A server of logs that are not what was signed: `/{number}/{path}`. */
  let mutants: Server;
  const mutated: Served[] = [];

  beforeAll(async () => {
    folder = buildChecker();
    await mkdir(join(folder, 'notes'));
    service = await startTestService();
    const { databaseOptions } = service.context.parts;
    if (databaseOptions.engine !== 'sqlite') throw new Error('this test reads a key beside a SQLite file');
    key = await loadLogKey(join(dirname(databaseOptions.path), 'log.key'));
    signer = await openTestLog({ options: databaseOptions, cleanup: async () => undefined }, { key });
    address = `${service.url}/_svc/vidimus/v1/log/`;
    for (let size = 1; size <= EVERY; size += 1) await signed(size);
    await signed(LARGEST);
    // On SQLite an instance does not look for what another process has signed.
    await service.context.services.log.published?.refresh();
    await checkpointOf(service.url, LARGEST);
    mutants = createServer((request, response) => {
      const [, number = '', ...path] = (request.url ?? '').split('/');
      const bytes = mutated[Number(number)]?.get(path.join('/'));
      response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
    }).listen(0, '127.0.0.1');
    await once(mutants, 'listening');
  }, SIGNING_TIMEOUT_MS);
  afterAll(async () => {
    mutants.close();
    await signer.close();
    await service.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const noteOf = (size: number) => join(folder, 'notes', String(size));
  /** Grows the log to a size, and keeps its checkpoint. */
  const signed = async (size: number) => {
    await queueEntries(signer.database, madeEntries(signer.log.size, size - signer.log.size));
    await growTo(signer, size);
    await writeFile(noteOf(size), signer.log.checkpoint);
  };
  const ask = (tasks: readonly string[]) => askChecker(folder, key.verifierKey, tasks);
  /** Checks checkpoints against a log as it was served, with things changed in it. */
  const addressOf = (log: Served) => {
    mutated.push(log);
    return `http://127.0.0.1:${(mutants.address() as AddressInfo).port}/${mutated.length - 1}/`;
  };
  const file = async (bytes: Buffer | string) => {
    const path = join(folder, `file-${randomInt(2 ** 40)}`);
    await writeFile(path, bytes);
    return path;
  };
  const servedOf = async (paths: readonly string[]) => {
    const served: Served = new Map();
    for (const path of paths) {
      const response = await getLog(service.url, path);
      expect([path, response.status]).toEqual([path, 200]);
      served.set(path, Buffer.from(await response.arrayBuffer()));
    }
    return served;
  };
  const TILES_OF_300 = [
    'tile/0/000',
    'tile/0/001.p/44',
    'tile/1/000.p/1',
    'tile/entries/000',
    'tile/entries/001.p/44',
  ];

  it(`read checkpoint, tiles and bundles of every size up to ${EVERY} and of ${LARGEST}, consistent with the one before`, async () => {
    const sizes = [...Array.from({ length: EVERY }, (_, index) => index + 1), LARGEST];
    const tasks = sizes.map((size, index) => {
      const older = index === 0 ? '-' : noteOf(sizes[index - 1]!);
      return `tree ${noteOf(size)} ${older} ${address}`;
    });
    const answers = await ask(tasks);
    expect(answers.filter((answer) => answer !== 'ok')).toEqual([]);
  });

  it('accept our consistency proofs, and none with a hash changed; we accept theirs', async () => {
    const pairs = Array.from({ length: 60 }, (_, round) => {
      const [a, b] = [1 + randomInt(EVERY), 1 + randomInt(EVERY)];
      return [round % 4 === 0 ? LARGEST : Math.max(a, b), Math.min(a, b)] as const;
    });
    const tasks: string[] = [];
    const mutants: string[] = [];
    for (const [size, from] of pairs) {
      const proof = await signer.log.proveConsistency(from, size);
      const write = (hashes: readonly Buffer[]) =>
        file(hashes.map((hash) => hash.toString('base64')).join('\n'));
      tasks.push(`consistent ${noteOf(size)} ${noteOf(from)} ${await write(proof)}`);
      if (proof.length === 0) continue;
      const at = randomInt(proof.length);
      const changed = withBitFlipped(proof[at]!, randomInt(256));
      mutants.push(
        `consistent ${noteOf(size)} ${noteOf(from)} ${await write(proof.toSpliced(at, 1, changed))}`,
      );
      mutants.push(`consistent ${noteOf(size)} ${noteOf(from)} ${await write(proof.toSpliced(at, 1))}`);
    }
    expect((await ask(tasks)).filter((answer) => answer !== 'ok')).toEqual([]);
    expect((await ask(mutants)).filter((answer) => answer === 'ok')).toEqual([]);

    const theirs = await ask(pairs.map(([size, from]) => `prove ${noteOf(size)} ${noteOf(from)} ${address}`));
    for (const [index, [size, from]] of pairs.entries()) {
      const [state, ...hashes] = theirs[index]!.split(' ');
      const [older, newer] = await Promise.all(
        [from, size].map(async (each) => readCheckpoint(await openNote(each))!),
      );
      const proof = hashes.map((hash) => Buffer.from(hash, 'base64'));
      expect([state, verifyConsistency(older!, newer!, proof)]).toEqual(['ok', true]);
      if (proof.length === 0) continue;
      const wrong = proof.with(0, withBitFlipped(proof[0]!, randomInt(256)));
      expect(verifyConsistency(older!, newer!, wrong)).toBe(false);
    }
  });

  it('accept checkpoints that a witness of ours has cosigned, and none with a bit of that flipped', async () => {
    const note = await openNote(300);
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const line = WITNESS_KEY.cosign(text, 1_700_000_000);
    const cosigned = `cosigned ${await file(note + line)} ${WITNESS_KEY.verifierKey}`;
    expect(await ask([cosigned])).toEqual(['ok']);
    const bytes = Buffer.from(line);
    const flipped = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const mutant = withBitFlipped(bytes, randomInt(8 * (bytes.length - UNUSED_BYTES)));
        return `cosigned ${await file(Buffer.concat([Buffer.from(note), mutant]))} ${WITNESS_KEY.verifierKey}`;
      }),
    );
    expect((await ask(flipped)).filter((answer) => answer === 'ok')).toEqual([]);
    const older = await openNote(299);
    expect(await ask([`cosigned ${await file(older + line)} ${WITNESS_KEY.verifierKey}`])).not.toEqual([
      'ok',
    ]);
  });

  it('accept proofs of entries, and none with a bit flipped', async () => {
    const [entry] = madeEntries(12_345, 1);
    const sha256 = createHash('sha256').update(entry!).digest('hex');
    const proof = Buffer.from(await (await getLog(service.url, `proof/record/${sha256}`)).arrayBuffer());
    const others = await Promise.all(
      [0, 255, 256, 65_535, 65_536, LARGEST - 1].map(async (index) => {
        const hash = createHash('sha256').update(madeEntries(index, 1)[0]!).digest('hex');
        return file(Buffer.from(await (await getLog(service.url, `proof/record/${hash}`)).arrayBuffer()));
      }),
    );
    expect(await ask(others.map((each) => `proof ${each}`))).toEqual(others.map(() => 'ok'));
    const flipped = await Promise.all(
      Array.from({ length: 300 }, () =>
        file(withBitFlipped(proof, randomInt(8 * (proof.length - UNUSED_BYTES)))),
      ),
    );
    expect(await ask([`proof ${await file(proof)}`])).toEqual(['ok']);
    const answers = await ask(flipped.map((path) => `proof ${path}`));
    expect(answers.filter((answer) => answer === 'ok')).toEqual([]);
  });

  it('refuse a log with a bit flipped anywhere', async () => {
    const served = await servedOf(TILES_OF_300);
    const note = Buffer.from(await openNote(300));
    const tasks = [`tree ${noteOf(300)} ${noteOf(299)} ${addressOf(withPartial(served))}`];
    for (const [path, bytes] of served) {
      for (let round = 0; round < 40; round += 1) {
        const mutant = new Map(served).set(path, withBitFlipped(bytes, randomInt(8 * bytes.length)));
        tasks.push(`tree ${noteOf(300)} - ${addressOf(mutant)}`);
      }
    }
    for (let bit = 0; bit < 8 * (note.length - 3); bit += 3)
      tasks.push(`tree ${await file(withBitFlipped(note, bit))} - ${addressOf(served)}`);
    const [whole, ...answers] = await ask(tasks);
    expect(whole).toBe('ok');
    expect(answers.filter((answer) => answer === 'ok')).toEqual([]);
  });

  const openNote = (size: number) => readFile(noteOf(size), 'utf8');
  /** What the size before needs, too. */
  const withPartial = (served: Served): Served =>
    new Map(served).set('tile/0/001.p/43', served.get('tile/0/001.p/44')!.subarray(0, 43 * 32));
});

function withBitFlipped(bytes: Uint8Array, bit: number): Buffer<ArrayBuffer> {
  const mutant = Buffer.from(bytes);
  mutant[bit >> 3]! ^= 1 << (bit & 7);
  return mutant;
}

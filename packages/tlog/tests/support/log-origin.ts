import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import {
  LogKey,
  TILE_WIDTH,
  encodeKeyEntry,
  growTree,
  hashLeaf,
  rootOf,
  proveConsistency,
  tilePath,
  writeBundle,
  writeCheckpoint,
} from '../../src/index.js';
import { makeKeyRecord, makeTestKey } from './key-records.js';

/** What a log serves, by path below its address. */
export type LogFiles = Map<string, Buffer>;

/** Answers below an address; `null`: 404. May be changed while it runs. */
export interface LogOrigin {
  url: string;
  serve: (path: string) => Buffer | null | Promise<Buffer | null>;
  /** Paths that were asked for, in order. */
  asked: string[];
  close(): Promise<void>;
}

export const ORIGIN_KEY = new LogKey('dishonest.test/log', Buffer.alloc(32, 5));

/** A server of logs, honest or not. */
export async function startLogOrigin(files: LogFiles): Promise<LogOrigin> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/log\//, '');
    origin.asked.push(path);
    void answer(path, response);
  }).listen(0, '127.0.0.1');
  const answer = async (path: string, response: ServerResponse): Promise<void> => {
    const bytes = await origin.serve(path);
    response.writeHead(bytes === null ? 404 : 200).end(bytes);
  };
  await once(server, 'listening');
  const origin: LogOrigin = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/log`,
    serve: (path) => files.get(path) ?? null,
    asked: [],
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return origin;
}

/** Everything that a log of these entries serves, as it is right after it has grown to them. */
export function filesOf(entries: readonly Buffer[], key = ORIGIN_KEY): LogFiles {
  const { edge, tiles } = growTree({ size: 0, partial: [] }, entries.map(hashLeaf));
  const root = rootOf(edge);
  const note = key.signNote(writeCheckpoint({ origin: key.origin, size: entries.length, root }));
  const files: LogFiles = new Map([['checkpoint', Buffer.from(note)]]);
  for (const { level, n, hashes } of tiles) {
    files.set(tilePath({ level, n, width: hashes.length }), Buffer.concat(hashes));
  }
  for (let n = 0; n * TILE_WIDTH < entries.length; n += 1) {
    const part = entries.slice(n * TILE_WIDTH, (n + 1) * TILE_WIDTH);
    files.set(tilePath({ level: 'entries', n, width: part.length }), writeBundle(part));
  }
  return files;
}

/** A record with its entry, as a notary makes them. */
export function makeFollowedRecord(
  serverName: string,
  version = 'k1',
): { record: Buffer; entry: Buffer; path: string } {
  const validUntilTs = 4_102_444_800_000;
  const record = makeKeyRecord({ serverName, keys: [makeTestKey(version)], validUntilTs });
  return { record, ...entryFor(serverName, record) };
}

/** The entry about a record, and where the record is served. */
export function entryFor(serverName: string, record: Buffer): { entry: Buffer; path: string } {
  const recordSha256 = createHash('sha256').update(record).digest('hex');
  const content = JSON.parse(record.toString()) as Record<string, unknown>;
  const about = { event: 'server_first_seen' as const, serverName, recordSha256 };
  const entry = encodeKeyEntry({ ...about, observedTs: 1_700_000_000_000 }, content);
  return { entry, path: `record/${recordSha256}` };
}

/** Entries of no particular form; `from` numbers them. */
export const madeEntries = (from: number, count: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => Buffer.from(`{"entry":${from + index}}`));

export const OTHER_LOG_KEY = new LogKey('log.test/other', Buffer.alloc(32, 12));

/** A log of which all is in memory; `face` makes its entries differ from those of another face from `forkAt` on. */
export class MadeLog {
  readonly #leaves: readonly Buffer[];

  constructor(
    size: number,
    private readonly key = OTHER_LOG_KEY,
    { face = '', forkAt = 0 } = {},
  ) {
    this.#leaves = madeEntries(0, size).map((entry, index) =>
      hashLeaf(index < forkAt ? entry : Buffer.concat([entry, Buffer.from(face)])),
    );
  }

  checkpoint(size: number): string {
    const { edge } = growTree({ size: 0, partial: [] }, this.#leaves.slice(0, size));
    return this.key.signNote(`${this.key.name}\n${size}\n${rootOf(edge).toString('base64')}\n`);
  }

  prove(from: number, size: number): Promise<Buffer[]> {
    const { tiles } = growTree({ size: 0, partial: [] }, this.#leaves.slice(0, size));
    const stored = new Map(tiles.map(({ level, n, hashes }) => [`${level}/${n}`, Buffer.concat(hashes)]));
    return proveConsistency(from, size, async (level, n) => stored.get(`${level}/${n}`)!);
  }

  /** The body that asks a witness to cosign. */
  async offer(from: number, size: number): Promise<Buffer> {
    const proof = from > size ? [] : await this.prove(from, size);
    return offerBody(from, proof, this.checkpoint(size));
  }
}

export function offerBody(from: number, proof: readonly Buffer[], checkpoint: string): Buffer {
  const lines = proof.map((hash) => `${hash.toString('base64')}\n`).join('');
  return Buffer.from(`old ${from}\n${lines}\n${checkpoint}`);
}

/** A small seeded generator (mulberry32): the same numbers each run. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

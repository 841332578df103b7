import { Buffer } from 'node:buffer';

import { JudgedClock } from '../../../src/core/base/judged-clock.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { LogKey } from '../../../src/core/notary/log/notes/log-key.js';
import { WitnessKey } from '../../../src/core/notary/log/notes/witness-key.js';
import { growTree, rootOf } from '../../../src/core/notary/log/tree/growth.js';
import { hashLeaf } from '../../../src/core/notary/log/tree/hashes.js';
import { proveConsistency } from '../../../src/core/notary/log/tree/consistency.js';
import {
  CheckpointWitness,
  type WitnessOutcome,
} from '../../../src/core/notary/witness/checkpoint-witness.js';
import { WitnessedLogStore } from '../../../src/core/notary/witness/witnessed-log-store.js';
import { openDatabase, type Database } from '../../../src/core/store/db.js';
import { programTs } from '../../../src/core/store/migration/files.js';
import type { LogLine } from '../service.js';
import { ManualClock } from '../manual-clock.js';
import type { TestDatabase } from './databases.js';
import { madeEntries } from './test-log.js';

/** A witness over a database. */
export interface TestWitness {
  witness: CheckpointWitness;
  store: WitnessedLogStore;
  database: Database;
  outcomes: WitnessOutcome[];
  close(): Promise<void>;
}

export const WITNESS_KEY = new WitnessKey('witness.test', Buffer.alloc(32, 11));
export const OTHER_LOG_KEY = new LogKey('log.test/other', Buffer.alloc(32, 12));

/** Opens it as an instance does at its start; it knows `OTHER_LOG_KEY`. */
export async function openTestWitness(
  { options }: Pick<TestDatabase, 'options'>,
  { clock = new ManualClock(), lines = [] as LogLine[] } = {},
): Promise<TestWitness> {
  const logger = createLogger({
    level: 'debug',
    destination: { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) },
  });
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  const store = new WitnessedLogStore(database);
  const outcomes: WitnessOutcome[] = [];
  const witness = new CheckpointWitness({
    key: WITNESS_KEY,
    logs: [{ origin: OTHER_LOG_KEY.name, keys: [OTHER_LOG_KEY.verifier] }],
    store,
    clock,
    judgedClock: new JudgedClock({ clock, logger, programTs: programTs('sqlite'), signedTs: null }),
    logger,
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  return { witness, store, database, outcomes, close: () => database.close() };
}

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

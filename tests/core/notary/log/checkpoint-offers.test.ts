import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { LogKey, WitnessKey, parseNote, verifyNote, writeCheckpoint } from '@vidimus/tlog';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { PublishedLog } from '../../../../src/core/notary/log/published-log.js';
import { Sequencer } from '../../../../src/core/notary/log/sequencer.js';
import {
  CheckpointOffers,
  type OfferOutcome,
  CosignatureStore,
} from '../../../../src/core/notary/log/checkpoint-offers.js';
import { openDatabase } from '../../../../src/core/store/db.js';
import { readProof } from '../../../support/clients/log-client.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';
import { LOG_KEY, growTo, madeEntries, queueEntries } from '../../../support/store/test-log.js';
import { PATIENCE_MS } from '../../../support/patience.js';

type Handler = (body: string, response: ServerResponse) => void;

/** A witness of its own key, which answers as it is told. */
class Answering {
  readonly key: WitnessKey;
  /** First lines of what it was sent. */
  readonly asked: string[] = [];
  handler: Handler;
  readonly #server: Server;

  constructor(seed: number, handler?: Handler) {
    this.key = new WitnessKey(`w${seed}.test`, Buffer.alloc(32, seed));
    this.handler = handler ?? ((body, response) => response.end(this.cosign(body)));
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const body = await text(request);
      this.asked.push(body.slice(0, body.indexOf('\n')));
      this.handler(body, response);
    };
    this.#server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  }

  static async open(seed: number, handler?: Handler): Promise<Answering> {
    const witness = new Answering(seed, handler);
    await once(witness.#server, 'listening');
    return witness;
  }

  cosign(body: string, seconds = CLOCK_TS / 1000): string {
    const note = body.slice(body.indexOf('\n\n') + 2);
    return this.key.cosign(note.slice(0, note.lastIndexOf('\n\n') + 1), seconds);
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`);
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

const CLOCK_TS = new ManualClock().now();

describe.each(testEngines())('offers of checkpoints to witnesses, on %s', (engine) => {
  let place: TestDatabase;
  let clock: ManualClock;
  let witnesses: Answering[];
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    place = await createTestDatabase(engine);
  });
  afterAll(() => place.cleanup());
  beforeEach(() => {
    clock = new ManualClock();
    witnesses = [];
  });
  afterEach(async () => {
    const { options } = place;
    for (const close of closing.splice(0).toReversed()) await close();
    const database = await openDatabase(options, createLogger({ level: 'silent' }));
    const data = { witnessed: null, witnessedSize: 0, cosignatures: {} };
    await database.client.logState.updateMany({ data });
    await database.close();
  });
  const witness = async (seed: number, handler?: Handler) => {
    const made = await Answering.open(seed, handler);
    witnesses.push(made);
    closing.push(() => made.close());
    return made;
  };
  /** An instance with the witnesses that there are by now. */
  const open = async (quorum = 1) => {
    const logger = createLogger({ level: 'silent' });
    const database = await openDatabase(place.options, logger);
    const configured = witnesses.map(({ key, url }) => ({ key: key.verifier, url }));
    const store = new CosignatureStore(
      database,
      configured.map(({ key }) => key.text),
    );
    const log = await PublishedLog.open({
      database,
      clock,
      logger,
      key: LOG_KEY,
      cacheBytes: 1024 * 1024,
      cosignaturesOf: (size) => store.readLines(size),
    });
    const outcomes: OfferOutcome[] = [];
    const offers = new CheckpointOffers({
      log,
      store,
      witnesses: configured,
      quorum,
      firstPauseMs: 200,
      clock,
      logger,
      onOutcome: (outcome) => void outcomes.push(outcome),
    });
    const sequencer = new Sequencer({ database, clock, key: LOG_KEY, log });
    closing.push(
      () => database.close(),
      () => offers.close(),
    );
    return { database, log, offers, outcomes, sequencer, store };
  };
  type Instance = Awaited<ReturnType<typeof open>>;
  const grow = async (instance: Instance, count = 1) => {
    const { size } = instance.log;
    await queueEntries(instance.database, madeEntries(size, count));
    await growTo({ ...instance, close: async () => undefined }, size + count);
  };
  /** Runs until it has come to that. */
  const runUntil = ({ log, offers }: Instance, isSo: () => boolean) =>
    vi.waitFor(
      async () => {
        await log.refresh();
        offers.wake();
        if (!isSo()) throw new Error(JSON.stringify(offers.statuses.map(({ failed }) => failed)));
      },
      { timeout: PATIENCE_MS, interval: 10 },
    );
  const standing = ({ offers }: Instance, { key }: Answering) =>
    offers.statuses.find((each) => each.witness.key.text === key.verifierKey)!;

  it('adds the cosignatures of all witnesses to the checkpoint, and proves from it', async () => {
    const made = [await witness(1), await witness(2), await witness(3)];
    const one = await open(2);
    await grow(one, 300);
    await runUntil(one, () => one.log.witnessed?.note.split('\n').length === 9);
    const keys = [LOG_KEY.verifier, ...made.map(({ key }) => key.verifier)];
    expect(verifyNote(parseNote(one.log.checkpoint)!, keys)).toHaveLength(4);
    expect(one.log.witnessed).toEqual({ size: one.log.size, note: one.log.checkpoint });
    expect(made.map(({ asked }) => asked)).toEqual([['old 0'], ['old 0'], ['old 0']]);

    // A proof stays with the witnessed checkpoint while there is none of the larger log.
    for (const each of made) each.handler = (_, response) => response.writeHead(500).end();
    const { note, size } = one.log.witnessed!;
    await grow(one, 10);
    expect(one.log.checkpoint).not.toContain('w1.test');
    const rows = await one.database.client.logEntry.findMany({ where: { seq: { in: [0, size] } } });
    const proofs = await Promise.all(
      rows.map(async ({ recordSha256 }) =>
        readProof((await one.log.proveRecord(Buffer.from(recordSha256).toString('hex')))!),
      ),
    );
    expect(proofs).toMatchObject([
      { isValid: true, note },
      { isValid: true, note: one.log.checkpoint },
    ]);
  });

  it('goes on from the size that a witness tells, and remembers it over a restart', async () => {
    const made = await witness(1);
    const one = await open();
    await grow(one, 5);
    const { size } = one.log;
    made.handler = (body, response) => {
      if (body.startsWith('old 2\n')) response.end(made.cosign(body));
      else response.writeHead(409, { 'Content-Type': 'text/x.tlog.size' }).end('2\n');
    };
    await runUntil(one, () => standing(one, made).cosigned?.size === size);
    expect(made.asked).toEqual(['old 0', 'old 2']);
    made.handler = (body, response) => response.end(made.cosign(body));
    const again = await open();
    expect(again.log.checkpoint).toContain('— w1.test ');
    await grow(again);
    await runUntil(again, () => standing(again, made).cosigned?.size === size + 1);
    expect(made.asked.slice(2)).toEqual([`old ${size}`]);
  });

  it.each([
    ['another history', 422, '', 'it has seen another history of our log than this one'],
    [
      'a size that we have not',
      409,
      '999999999\n',
      /^it has cosigned 999999999 entries, but our log has \d+:/,
    ],
    ['no cosignature', 200, '— w1.test AAAA\n', 'its answer bears no cosignature of the configured key'],
    ['too much', 200, 'x'.repeat(20_000), /has more than 16384 bytes$/],
  ])('says in words that a witness answered with %s', async (_, status, body, words) => {
    const made = await witness(1, (__, response) => response.writeHead(status).end(body));
    const one = await open();
    await grow(one);
    await runUntil(one, () => standing(one, made).failures > 0);
    expect(standing(one, made).failed?.error).toMatch(words);
    expect(one.log.checkpoint).not.toContain('w1.test');
    expect(one.outcomes[0]).toBe(status === 200 && body.startsWith('x') ? 'failed' : 'refused');
  });

  /** A log that a witness refuses, showing a checkpoint of `more` entries than ours; whether it can be grown then. */
  const refused = async (signer: LogKey, more: number) => {
    const made = await witness(1);
    const one = await open();
    await grow(one, 3);
    const { size } = one.log;
    const root = Buffer.alloc(32, 9);
    const theirs = signer.signNote(writeCheckpoint({ origin: LOG_KEY.name, size: size + more, root }));
    made.handler = (body, response) => {
      // A GET has no body.
      if (body === '') response.end(theirs);
      else response.writeHead(more > 0 ? 409 : 422).end(`${size + more}\n`);
    };
    await runUntil(one, () => standing(one, made).failures > 0);
    await queueEntries(one.database, madeEntries(size, 1));
    await one.sequencer.run();
    await one.database.client.logQueue.deleteMany();
    return { damage: one.log.damage, grown: one.log.size - size };
  };

  it.each([
    [
      1,
      'of more entries',
      /^w1.test has a checkpoint of \d+ entries with our signature, but the database has \d+$/,
    ],
    [0, 'of the same size', /^w1.test has .* with our signature, but the database has other entries$/],
    [-1, 'of fewer entries', /^w1.test has .* with our signature, but the database has other entries$/],
  ])('stops the log (%i) when a witness has our checkpoint %s, of another history', async (more, _, why) => {
    expect(await refused(LOG_KEY, more)).toEqual({ damage: expect.stringMatching(why), grown: 0 });
  });

  it('takes no word of a witness for another history, without our signature', async () => {
    const stranger = new LogKey(LOG_KEY.name, Buffer.alloc(32, 78));
    expect(await refused(stranger, 1)).toEqual({ damage: null, grown: 1 });
  });

  it('takes no cosignature of another text, another key or another time', async () => {
    const stranger = new WitnessKey('w1.test', Buffer.alloc(32, 77));
    const lies: Handler[] = [
      (_, response) => response.end(made.key.cosign('keys.test\n1\nAAAA\n', CLOCK_TS / 1000)),
      (body, response) => {
        const note = body.slice(body.indexOf('\n\n') + 2);
        response.end(stranger.cosign(note.slice(0, note.lastIndexOf('\n\n') + 1), CLOCK_TS / 1000));
      },
      (body, response) => response.end(made.cosign(body, CLOCK_TS / 1000 + 600)),
      (body, response) => response.end(made.cosign(body, CLOCK_TS / 1000 - 600)),
    ];
    const made = await witness(1);
    const one = await open();
    await grow(one);
    const errors = [];
    for (const [index, lie] of lies.entries()) {
      made.handler = lie;
      await runUntil(one, () => standing(one, made).failures > index);
      errors.push(standing(one, made).failed?.error);
    }
    const none = 'its answer bears no cosignature of the configured key';
    const differs = 'its clock and ours differ by 10 minutes';
    expect(errors).toEqual([none, none, differs, differs]);
    expect(one.log.checkpoint).not.toContain('w1.test');
    made.handler = (body, response) => response.end(`${stranger.cosign('x\n', 1)}${made.cosign(body)}`);
    await runUntil(one, () => one.log.checkpoint.includes('w1.test'));
    expect(standing(one, made)).toMatchObject({
      failures: 0,
      cosigned: { ts: CLOCK_TS },
      failed: { error: differs },
    });
  });
});

import { parseTilePlace } from '@vidimus/tlog';
import { Router, type RequestHandler } from 'express';

import { unavailable, logBusy, notInLog } from '../../core/base/errors/api-error.js';
import { LARGE_ANSWER_BYTES } from '../../core/notary/key-record/record-signing.js';
import { logPath } from '../../core/notary/log/log-store.js';
import type { PublishedLog } from '../../core/notary/log/published-log.js';
import type { ClientBounds } from '../bounds/client-bounds.js';
import { exchangeOf, type Exchange } from '../request-exchange.js';
import { BodyKind, sendBytes, sendPreflight } from '../respond.js';
import { serve } from '../serve.js';

/** What the routes of the log are built from. */
export interface LogRoutesOptions {
  /** `/_svc` or `/_matrix`. */
  pathPrefix: string;
  /** Throws 503 until the store is open. */
  log(): PublishedLog;
  bounds: Pick<ClientBounds, 'largeAnswers' | 'logReads'>;
}

const SHA256 = /^[0-9a-f]{64}$/;
const FOR_EVER = 'public, max-age=31536000, immutable';
const TEXT = 'text/plain; charset=utf-8';

const CHECKPOINT = new BodyKind(TEXT, 'public, max-age=1');
const TILE = new BodyKind('application/octet-stream', FOR_EVER);
const RECORD = new BodyKind('application/json', FOR_EVER);
const PROOF = new BodyKind(TEXT, 'no-store');

/** The log (SPEC §4.15), by C2SP tlog-tiles. */
export function logRoutes(options: LogRoutesOptions): Router {
  const router = Router();
  const reads = new LogReads(options);
  const preflight: RequestHandler = (_request, response) => sendPreflight(exchangeOf(response));
  const read = (path: string, reader: Reader): void => {
    const get: RequestHandler = (request, response) => {
      const log = options.log();
      if (log.damage !== null)
        throw unavailable('log_stopped', 'The log has been stopped', { retryAfterSeconds: 3600 });
      return reader(exchangeOf(response), log, request.params);
    };
    serve(router, { label: 'log', path: `${logPath(options.pathPrefix)}${path}`, get, options: preflight });
  };
  read('/checkpoint', async (exchange, log) => {
    await log.keepFresh();
    sendBytes(exchange, Buffer.from(log.checkpoint), CHECKPOINT);
  });
  read('/witnessed-checkpoint', async (exchange, log) => {
    await log.keepFresh();
    sendFound(exchange, log.witnessed?.note ?? null, CHECKPOINT);
  });
  read('/tile/{place*}', (exchange, log, { place }) => reads.tile(exchange, log, String(place)));
  read('/record/{sha256}', (exchange, log, { sha256 }) => reads.record(exchange, log, String(sha256)));
  read('/proof/record/{sha256}', (exchange, log, { sha256 }) =>
    reads.recordProof(exchange, log, String(sha256)),
  );
  read('/proof/{serverName}/{keyId}', (exchange, log, { serverName, keyId }) =>
    reads.keyProof(exchange, log, [String(serverName), String(keyId)]),
  );
  return router;
}

class LogReads {
  constructor(private readonly options: LogRoutesOptions) {}

  record(exchange: Exchange, log: PublishedLog, sha256: string): Promise<void> {
    const find = async () => (SHA256.test(sha256) ? log.readRecord(sha256) : null);
    return this.#answer(exchange, { find, kind: RECORD });
  }

  recordProof(exchange: Exchange, log: PublishedLog, sha256: string): Promise<void> {
    const find = async () => (SHA256.test(sha256) ? log.proveRecord(sha256) : null);
    return this.#answer(exchange, { find, kind: PROOF });
  }

  keyProof(exchange: Exchange, log: PublishedLog, [serverName, keyId]: [string, string]): Promise<void> {
    return this.#answer(exchange, { find: () => log.proveKey(serverName, keyId), kind: PROOF });
  }

  async tile(exchange: Exchange, log: PublishedLog, path: string): Promise<void> {
    const place = parseTilePlace(path);
    const find = async () => (place === null ? null : log.readTile(place));
    const tile = await this.#inTurn(exchange, find);
    if (tile === null || tile.length <= LARGE_ANSWER_BYTES) return sendFound(exchange, tile, TILE);
    // It is read again when its answer has a slot. What waits must not name it, or it would be in memory as long.
    const bytes = tile.length;
    const again = async () => ({ parts: [(await find()) ?? Buffer.alloc(0)], bytes });
    return this.options.bounds.largeAnswers.send(exchange, again, TILE);
  }

  async #answer(exchange: Exchange, { find, kind }: Reading): Promise<void> {
    sendFound(exchange, await this.#inTurn(exchange, find), kind);
  }

  #inTurn<T>(exchange: Exchange, find: () => Promise<T>): Promise<T> {
    const left = new AbortController();
    exchange.response.once('close', () => left.abort(logBusy('the client has gone')));
    return this.options.bounds.logReads.run(exchange, find, left.signal);
  }
}

type Reader = (exchange: Exchange, log: PublishedLog, params: PathParams) => void | Promise<void>;
/** Parameters of a path, decoded. */
type PathParams = Readonly<Record<string, string | string[]>>;

/** What is read from the store, and how it is sent. */
interface Reading {
  find: () => Promise<Buffer | string | null>;
  kind: BodyKind;
}

function sendFound(exchange: Exchange, found: Buffer | string | null, kind: BodyKind): void {
  if (found === null) throw notInLog();
  sendBytes(exchange, typeof found === 'string' ? Buffer.from(found) : found, kind);
}

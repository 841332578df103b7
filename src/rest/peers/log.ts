import {
  logStopped,
  methodNotAllowed,
  notInLog,
  unrecognizedRequest,
} from '../../core/base/errors/api-error.js';
import type { Asker } from '../../core/base/places/asker.js';
import { clientAsker } from '../../core/net/address/client-asker.js';
import { LARGE_ANSWER_BYTES } from '../../core/notary/key-record/key-answer.js';
import { logPath } from '../../core/notary/log/log-path.js';
import type { PublishedLog } from '../../core/notary/log/published-log.js';
import { parseTilePlace } from '../../core/notary/log/tree/tiles.js';
import type { ClientBounds } from '../bounds/client-bounds.js';
import { decodeSegment } from '../params.js';
import { clientAddress, type Exchange } from '../request-exchange.js';
import { BodyKind, sendBytes, sendPreflight } from '../respond.js';

/** What the routes of the log are built from. */
export interface LogRoutesOptions {
  /** `/_svc` or `/_matrix`. */
  pathPrefix: string;
  /** Throws 503 until the store is open. */
  log(): PublishedLog;
  bounds: Pick<ClientBounds, 'largeAnswers' | 'logReads'>;
  /** Whether a proxy in front states the client's address in X-Forwarded-For. */
  xForwarded: boolean;
}

const READ_METHODS = 'GET, HEAD, OPTIONS';
const SHA256 = /^[0-9a-f]{64}$/;
const FOR_EVER = 'public, max-age=31536000, immutable';
const TEXT = 'text/plain; charset=utf-8';

const CHECKPOINT = new BodyKind(TEXT, 'public, max-age=1');
const TILE = new BodyKind('application/octet-stream', FOR_EVER);
const RECORD = new BodyKind('application/json', FOR_EVER);
const PROOF = new BodyKind(TEXT, 'no-store');

/**
 * The log (SPEC §4.15), by C2SP tlog-tiles. A plain handler in front of Express, because its followers read it tile by
 * tile.
 */
export class LogRoutes {
  readonly #prefix: string;

  constructor(private readonly options: LogRoutesOptions) {
    this.#prefix = `${logPath(options.pathPrefix)}/`;
  }

  /** Handles the exchange when its path is one of the log; `false` when it is not. Errors throw or reject. */
  handle(exchange: Exchange): false | void | Promise<void> {
    const target = exchange.request.url ?? '';
    if (!target.startsWith(this.#prefix)) return false;
    const mark = target.indexOf('?');
    const path = target.slice(this.#prefix.length, mark === -1 ? undefined : mark).replace(/\/$/, '');
    const [head = '', ...rest] = path.split('/');
    const answer = this.#answerOf(head, rest);
    exchange.route = 'log';
    const { method } = exchange.request;
    if (method === 'OPTIONS') return sendPreflight(exchange);
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(READ_METHODS);
    const log = this.options.log();
    if (log.damage !== null) throw logStopped();
    return answer(exchange, log);
  }

  /** Throws 404 for a path that there is not. */
  #answerOf(
    head: string,
    rest: readonly string[],
  ): (exchange: Exchange, log: PublishedLog) => void | Promise<void> {
    if (head === 'checkpoint' && rest.length === 0) {
      return (exchange, log) => sendBytes(exchange, Buffer.from(log.checkpoint), CHECKPOINT);
    }
    if (head === 'witnessed-checkpoint' && rest.length === 0) {
      return (exchange, log) => sendFound(exchange, log.witnessed?.note ?? null, CHECKPOINT);
    }
    if (head === 'tile') return (exchange, log) => this.#tile(exchange, log, rest.join('/'));
    const [first = '', second = ''] = rest.map(decodeSegment);
    if (head === 'record' && rest.length === 1) {
      return (exchange, log) =>
        this.#answer(exchange, {
          find: async () => (SHA256.test(first) ? log.readRecord(first) : null),
          kind: RECORD,
        });
    }
    if (head !== 'proof' || rest.length !== 2) throw unrecognizedRequest();
    const isOfRecord = first === 'record' && SHA256.test(second);
    return (exchange, log) =>
      this.#answer(exchange, {
        find: () => (isOfRecord ? log.proveRecord(second) : log.proveKey(first, second)),
        kind: PROOF,
      });
  }

  async #tile(exchange: Exchange, log: PublishedLog, path: string): Promise<void> {
    const place = parseTilePlace(path);
    const bytes = place === null ? null : await this.#inTurn(exchange, () => log.tileBytes(place));
    if (place === null || bytes === null) throw notInLog();
    if (bytes <= LARGE_ANSWER_BYTES) {
      return this.#answer(exchange, { find: () => log.readTile(place), kind: TILE });
    }
    // Nothing of it is read before its turn.
    return this.options.bounds.largeAnswers.send(exchange, {
      asker: this.#askerOf(exchange),
      find: async () => {
        const tile = await log.readTile(place);
        if (tile === null) throw notInLog();
        return { parts: [tile], bytes: tile.length };
      },
      kind: TILE,
    });
  }

  async #answer(exchange: Exchange, { find, kind }: Reading): Promise<void> {
    sendFound(exchange, await this.#inTurn(exchange, find), kind);
  }

  #inTurn<T>(exchange: Exchange, find: () => Promise<T>): Promise<T> {
    return this.options.bounds.logReads.read(exchange, this.#askerOf(exchange), find);
  }

  #askerOf({ request, requestId }: Exchange): Asker {
    return clientAsker(clientAddress(request, this.options.xForwarded), requestId);
  }
}

/** What is read from the store, and how it is sent. */
interface Reading {
  find: () => Promise<Buffer | string | null>;
  kind: BodyKind;
}

function sendFound(exchange: Exchange, found: Buffer | string | null, kind: BodyKind): void {
  if (found === null) throw notInLog();
  sendBytes(exchange, typeof found === 'string' ? Buffer.from(found) : found, kind);
}

import { logStopped, notInLog, unrecognizedRequest } from '../../core/base/errors/api-error.js';
import type { Asker } from '../../core/base/places/asker.js';
import { clientAsker } from '../../core/net/address/client-asker.js';
import { LARGE_ANSWER_BYTES } from '../../core/notary/key-record/key-answer.js';
import { logPath } from '../../core/notary/log/log-path.js';
import type { PublishedLog } from '../../core/notary/log/published-log.js';
import { parseTilePlace } from '../../core/notary/log/tree/tiles.js';
import { LOG_ROUTES } from '../api/log-routes.js';
import { RouteTable } from '../api/route-table.js';
import type { ClientBounds } from '../bounds/client-bounds.js';
import { decodeSegment } from '../params.js';
import { clientAddress, routedRequest, type Exchange } from '../request-exchange.js';
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
  readonly #routes: RouteTable<LogRoute>;
  readonly #readers: Readonly<Record<LogRoute, Reader>> = {
    checkpoint: (exchange, log) => sendBytes(exchange, Buffer.from(log.checkpoint), CHECKPOINT),
    witnessedCheckpoint: (exchange, log) => sendFound(exchange, log.witnessed?.note ?? null, CHECKPOINT),
    tile: (exchange, log, [place = '']) => this.#tile(exchange, log, place),
    record: (exchange, log, [sha256 = '']) =>
      this.#answer(exchange, {
        find: async () => (SHA256.test(sha256) ? log.readRecord(sha256) : null),
        kind: RECORD,
      }),
    recordProof: (exchange, log, [sha256 = '']) =>
      this.#answer(exchange, { find: () => log.proveRecord(sha256), kind: PROOF }),
    keyProof: (exchange, log, values) => {
      const [serverName = '', keyId = ''] = values.map(decodeSegment);
      return this.#answer(exchange, { find: () => log.proveKey(serverName, keyId), kind: PROOF });
    },
  };

  constructor(private readonly options: LogRoutesOptions) {
    this.#prefix = `${logPath(options.pathPrefix)}/`;
    this.#routes = new RouteTable(options.pathPrefix, LOG_ROUTES);
  }

  /** Handles the exchange when its path is one of the log; `false` when it is not. Errors throw or reject. */
  handle(exchange: Exchange): false | void | Promise<void> {
    const target = exchange.request.url ?? '';
    if (!target.startsWith(this.#prefix)) return false;
    const found = this.#routes.find(routedRequest(exchange));
    if (found === null) throw unrecognizedRequest();
    if (exchange.request.method === 'OPTIONS') return sendPreflight(exchange);
    const log = this.options.log();
    if (log.damage !== null) throw logStopped();
    return this.#readers[found.name](exchange, log, found.values);
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
    const onLeft = (giveUp: () => void) => void exchange.response.once('close', giveUp);
    return this.options.bounds.logReads.read(this.#askerOf(exchange), find, onLeft);
  }

  #askerOf({ request, requestId }: Exchange): Asker {
    return clientAsker(clientAddress(request, this.options.xForwarded), requestId);
  }
}

type LogRoute = keyof typeof LOG_ROUTES;
/** Answers one route; `values` are the parameters of its path. */
type Reader = (exchange: Exchange, log: PublishedLog, values: readonly string[]) => void | Promise<void>;

/** What is read from the store, and how it is sent. */
interface Reading {
  find: () => Promise<Buffer | string | null>;
  kind: BodyKind;
}

function sendFound(exchange: Exchange, found: Buffer | string | null, kind: BodyKind): void {
  if (found === null) throw notInLog();
  sendBytes(exchange, typeof found === 'string' ? Buffer.from(found) : found, kind);
}

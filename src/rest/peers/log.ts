import { parseTilePlace } from '@vidimus/tlog';
import { Router, type Request } from 'express';

import { unavailable, logBusy, notInLog } from '../../core/base/errors/api-error.js';
import { LARGE_ANSWER_BYTES } from '../../core/notary/key-record/record-signing.js';
import { logPath } from '../../core/notary/log/log-store.js';
import type { PublishedLog } from '../../core/notary/log/published-log.js';
import type { ClientBounds } from '../bounds/client-bounds.js';
import type { Exchange } from '../request-exchange.js';
import { BodyKind, sendBytes, sendPreflight } from '../respond.js';
import { serve, textParam, type Handler } from '../serve.js';

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
  const read = (path: string, reader: Reader): void => {
    const get: Handler = (exchange, request) => {
      const log = options.log();
      if (log.damage !== null)
        throw unavailable('log_stopped', 'The log has been stopped', { retryAfterSeconds: 3600 });
      return reader(exchange, log, request);
    };
    const at = `${logPath(options.pathPrefix)}${path}`;
    serve(router, { label: 'log', path: at, get, options: sendPreflight });
  };
  const ask = askWith(options);
  read('/checkpoint', async (exchange, log) => {
    await log.keepFresh();
    sendFound(exchange, log.checkpoint, CHECKPOINT);
  });
  read('/witnessed-checkpoint', async (exchange, log) => {
    await log.keepFresh();
    sendFound(exchange, log.witnessed?.note ?? null, CHECKPOINT);
  });
  read('/tile/{place*}', (exchange, log, request) => {
    const tile = parseTilePlace(textParam(request, 'place'));
    return sendTile(exchange, async () => (tile === null ? null : log.readTile(tile)), options);
  });
  read('/record/{sha256}', async (exchange, log, request) =>
    sendFound(exchange, await ask(exchange, () => log.readRecord(digestOf(request))), RECORD),
  );
  read('/proof/record/{sha256}', async (exchange, log, request) =>
    sendFound(exchange, await ask(exchange, () => log.proveRecord(digestOf(request))), PROOF),
  );
  read('/proof/{serverName}/{keyId}', async (exchange, log, request) => {
    const find = () => log.proveKey(textParam(request, 'serverName'), textParam(request, 'keyId'));
    sendFound(exchange, await ask(exchange, find), PROOF);
  });
  return router;
}

/** Asks the store when the client has a slot. */
function askWith({ bounds }: LogRoutesOptions) {
  return <T>({ response, client }: Exchange, find: () => Promise<T>): Promise<T> => {
    const left = new AbortController();
    response.on('close', () => left.abort(logBusy('the client has gone')));
    return bounds.logReads.run({ client }, find, left.signal);
  };
}

async function sendTile(exchange: Exchange, find: () => Promise<Buffer | null>, options: LogRoutesOptions) {
  const tile = await askWith(options)(exchange, find);
  if (tile === null || tile.length <= LARGE_ANSWER_BYTES) return sendFound(exchange, tile, TILE);
  // It is read again when its answer has a slot. What waits must not name it, or it would be in memory as long.
  const bytes = tile.length;
  const again = async () => ({ parts: [(await find()) ?? Buffer.alloc(0)], bytes });
  return options.bounds.largeAnswers.send(exchange, again, TILE);
}

type Reader = (exchange: Exchange, log: PublishedLog, request: Request) => void | Promise<void>;

/** Throws 404 for what is no digest. */
function digestOf(request: Request): string {
  const text = textParam(request, 'sha256');
  if (SHA256.test(text)) return text;
  throw notInLog();
}

function sendFound(exchange: Exchange, found: Buffer | string | null, kind: BodyKind): void {
  if (found === null) throw notInLog();
  sendBytes(exchange, typeof found === 'string' ? Buffer.from(found) : found, kind);
}

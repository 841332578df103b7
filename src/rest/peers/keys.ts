import { Router } from 'express';

import { ApiError } from '../../core/base/errors/api-error.js';
import { KEY_QUERY_LIMITS, type ServerQuery } from '../../core/notary/keys/key-query.js';
import type { Notary } from '../../core/notary/keys/answer-query.js';
import type { OwnKeys } from '../../core/notary/own-keys/own-keys.js';
import { withoutTokens, type Logger } from '../../core/base/logger.js';
import type { Metrics } from '../../core/base/metrics.js';
import type { LargeAnswers } from '../bounds/held-bytes.js';
import type { RequestLines } from '../bounds/client-connections.js';
import type { Exchange } from '../request-exchange.js';
import { parseKeyQueryBody, parsedQueries } from './key-query-body.js';
import { readBody } from '../read-body.js';
import { sendJsonBytes, sendPreflight } from '../respond.js';
import { serve, textParam, type Handler, type ServedPath } from '../serve.js';

/** What the key routes are built from. The two services are absent until the store is open. */
export interface KeyRoutesOptions {
  /** `/_svc` or `/_matrix`. */
  pathPrefix: string;
  services(): { notary: Notary; ownKeys: OwnKeys | null };
  logger: Logger;
  metrics: Metrics;
  largeAnswers: LargeAnswers;
  lines: Pick<RequestLines, 'admit'>;
}

const NOT_PUBLISHED = 'The key record of this server name is published by its homeserver, not here';

/** The key routes (SPEC §4.1 to §4.3) and our own record (Matrix spec, "Retrieving server keys"). */
export function keyRoutes(options: KeyRoutesOptions): Router {
  const router = Router();
  const { metrics, pathPrefix } = options;
  /** All stored keys of one server (SPEC §4.1). */
  const all: Handler = (exchange, request) => {
    metrics.keyQueries.inc({ form: 'all' });
    const queries = [{ serverName: textParam(request, 'serverName'), keys: [] }];
    return answerQueries(options, exchange, { queries, again: () => queries });
  };
  /** The deprecated form with a key id in the path (SPEC §4.2). */
  const one: Handler = (exchange, request) => {
    const [serverName, keyId] = [textParam(request, 'serverName'), textParam(request, 'keyId')];
    metrics.keyQueries.inc({ form: 'deprecated' });
    warnOfDeprecation(options, exchange, { serverName, keyId });
    const minimumValidUntilTs = exchange.query.integer('minimum_valid_until_ts');
    const queries = [{ serverName, keys: [{ keyId, minimumValidUntilTs }] }];
    return answerQueries(options, exchange, { queries, again: () => queries });
  };
  /** Keys of many servers (SPEC §4.3). */
  const batch: Handler = async (exchange) => {
    const body = await readBody(exchange, KEY_QUERY_LIMITS.maxBodyBytes);
    const queries = parsedQueries.get(exchange) ?? parseKeyQueryBody(body);
    metrics.keyQueries.inc({ form: 'batch' });
    await answerQueries(options, exchange, { queries, again: () => parseKeyQueryBody(body) });
  };
  const at = (label: string, path: string, handlers: Pick<ServedPath, 'get' | 'post'>): void =>
    serve(router, { label, path: `${pathPrefix}/key/v2${path}`, ...handlers, options: sendPreflight });
  at('key_query', '/query/{serverName?}', { get: all });
  at('key_query', '/query/{serverName?}/{keyId?}', { get: one });
  at('key_query', '/query', { post: batch });
  const own: Handler = (exchange) => sendOwn(exchange, options);
  at('own_keys', '/server', { get: own });
  at('own_keys', '/server/{keyId?}', { get: own });
  return router;
}

/**
 * Our own record; the form with a key id is deprecated and answers the same. Nothing is ever fetched for it, so that
 * discovery of our own name which leads back here ends here.
 */
function sendOwn(exchange: Exchange, options: KeyRoutesOptions): void {
  const { ownKeys } = options.services();
  if (ownKeys === null) throw new ApiError(404, NOT_PUBLISHED, { errcode: 'M_NOT_FOUND' });
  sendJsonBytes(exchange, ownKeys.published());
}

/** Sends small answers at once. A large one waits in a queue as its body, and is parsed again there: that is shorter. */
async function answerQueries(
  options: KeyRoutesOptions,
  exchange: Exchange,
  { queries, again }: { queries: readonly ServerQuery[]; again: () => readonly ServerQuery[] },
): Promise<void> {
  const progress = { client: exchange.client };
  const answer = await options.services().notary.query(queries, progress);
  if (answer !== null) return sendJsonBytes(exchange, answer);
  await options.largeAnswers.send(exchange, () => options.services().notary.queryLarge(again(), progress));
}

function warnOfDeprecation(
  { logger, lines }: KeyRoutesOptions,
  { address, requestId }: Exchange,
  { serverName, keyId }: { serverName: string; keyId: string },
): void {
  if (!lines.admit(address, 'deprecation')) return;
  const line = { server_name: shown(serverName), key_id: shown(keyId), request_id: requestId };
  logger.warn(line, 'deprecated key query with a key id in the path');
}

const SHOWN_LENGTH = 255;

/** For the log: what was asked for may be anything, a token in the wrong place too. */
function shown(text: string): string {
  return withoutTokens(text).slice(0, SHOWN_LENGTH);
}

/** Longer bodies are parsed by the route, which has a queue. */
const MAX_BODY_BYTES = 32 * 1024;
/** A name that needs no decoding. */
const PLAIN_NAME = /^[\w.:-]+$/;

/** Answers an exchange, or calls `otherwise`. */
export type FromMemory = (exchange: Exchange, otherwise: () => void) => void;

/**
 * Answers key queries whose bytes lie in memory ahead of Express: a GET takes 0.020 ms, through it 0.023. All others,
 * and all of them without this function, are answered by the routes with the same bytes.
 */
export function keysFromMemory(options: KeyRoutesOptions): FromMemory {
  const path = `${options.pathPrefix}/key/v2/query`;
  /** The last body alone: keeping more, which seldom come again, was a third of the work on new ones. */
  let latest: { body: Buffer; queries: readonly ServerQuery[] } | null = null;
  const send = (exchange: Exchange, form: 'all' | 'batch', queries: readonly ServerQuery[]): boolean => {
    const answer = options.services().notary.fromMemory(queries);
    if (answer === null) return false;
    exchange.route = 'key_query';
    options.metrics.keyQueries.inc({ form });
    sendJsonBytes(exchange, answer);
    return true;
  };
  const batch = async (exchange: Exchange): Promise<boolean> => {
    const body = await readBody(exchange, KEY_QUERY_LIMITS.maxBodyBytes);
    if (body.length > MAX_BODY_BYTES) return false;
    if (!latest?.body.equals(body)) latest = { body, queries: parseKeyQueryBody(body) };
    const { queries } = latest;
    if (send(exchange, 'batch', queries)) return true;
    parsedQueries.set(exchange, queries);
    return false;
  };
  return (exchange, otherwise) => {
    const { method, url = '' } = exchange.request;
    const serverName = method === 'GET' && url.startsWith(`${path}/`) ? url.slice(path.length + 1) : '';
    const isBatch = method === 'POST' && url === path;
    const isSent = async (): Promise<boolean> =>
      isBatch
        ? batch(exchange)
        : PLAIN_NAME.test(serverName) && send(exchange, 'all', [{ serverName, keys: [] }]);
    // An error is the routes' to answer.
    void isSent().then((sent) => sent || otherwise(), otherwise);
  };
}

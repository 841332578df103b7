import { clientAsker } from '../../core/net/address/client-asker.js';
import { ApiError, methodNotAllowed, unrecognizedRequest } from '../../core/base/errors/api-error.js';
import type { Asker } from '../../core/base/places/asker.js';
import type { ServerQuery } from '../../core/notary/keys/key-query.js';
import type { Notary } from '../../core/notary/keys/notary.js';
import type { OwnKeys } from '../../core/notary/own-keys/own-keys.js';
import { withoutTokens, type Logger } from '../../core/base/logger.js';
import type { Metrics } from '../../core/base/metrics.js';
import type { LargeAnswers } from '../bounds/large-answers.js';
import type { RequestLines } from '../bounds/request-lines.js';
import { clientAddress, type Exchange } from '../request-exchange.js';
import { parseKeyQueryBody } from './key-query-body.js';
import type { KeyQueryLimits } from './plain-key-query.js';
import { decodeSegment, queryOf, readIntegerParam } from '../params.js';
import { readBody } from '../read-body.js';
import { sendJsonBytes, sendPreflight } from '../respond.js';

/** What the key routes are built from. The two services are absent until the store is open. */
export interface KeyRoutesOptions {
  /** `/_svc` or `/_matrix`. */
  pathPrefix: string;
  services(): { notary: Notary; ownKeys: OwnKeys | null };
  limits: KeyQueryLimits & { maxBodyBytes: number };
  /** Whether bodies are read by `readPlainKeyQuery` first. */
  triesPlainBodies: boolean;
  logger: Logger;
  metrics: Metrics;
  /** Whether a proxy in front states the client's address in X-Forwarded-For. */
  xForwarded: boolean;
  largeAnswers: LargeAnswers;
  lines: Pick<RequestLines, 'admit'>;
}

/** Queries with the bytes they were read from, if any. */
interface Question {
  queries: readonly ServerQuery[];
  requestBody: Buffer | null;
}

const NOT_PUBLISHED = 'The key record of this server name is published by its homeserver, not here';
const READ_METHODS = 'GET, HEAD, OPTIONS';
const BATCH_METHODS = 'POST, OPTIONS';
/** `query/` is the batch path with a trailing slash and all keys of the empty name. */
const ROOT_METHODS = 'GET, HEAD, POST, OPTIONS';

/**
 * The key routes (SPEC §4.1 to §4.3) and our own record (Matrix spec, "Retrieving server keys").
 * A plain handler in front of Express, because peers ask in bursts and the answers are ready bytes.
 */
export class KeyRoutes {
  readonly #prefix: string;

  constructor(private readonly options: KeyRoutesOptions) {
    this.#prefix = `${options.pathPrefix}/key/v2/`;
  }

  /** Handles the exchange when its path is one of the key routes; `false` when it is not. Errors reject. */
  handle(exchange: Exchange): false | void | Promise<void> {
    const target = exchange.request.url ?? '';
    if (!target.startsWith(this.#prefix)) return false;
    const mark = target.indexOf('?');
    const path = mark === -1 ? target.slice(this.#prefix.length) : target.slice(this.#prefix.length, mark);
    const [head, ...rest] = path.split('/');
    // A trailing slash adds nothing.
    if (rest.length > 1 && rest.at(-1) === '') rest.pop();

    if (head === 'query') return this.#query(exchange, rest);
    if (head === 'server') return this.#own(exchange, rest);
    return false;
  }

  #query(exchange: Exchange, segments: readonly string[]): void | Promise<void> {
    if (segments.length > 2) throw unrecognizedRequest();
    exchange.route = 'key_query';
    const { method } = exchange.request;
    if (method === 'OPTIONS') return sendPreflight(exchange);
    const isRoot = segments.length === 1 && segments[0] === '';
    if (method === 'POST' && (segments.length === 0 || isRoot)) return this.#batch(exchange);
    if (segments.length === 0) throw methodNotAllowed(BATCH_METHODS);
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(isRoot ? ROOT_METHODS : READ_METHODS);

    const serverName = decodeSegment(segments[0] ?? '');
    const queries = [segments.length === 1 ? this.#all(serverName) : this.#one(exchange, segments)];
    return this.#answer(exchange, () => queries, { queries, requestBody: null });
  }

  #all(serverName: string): ServerQuery {
    this.options.metrics.keyQueries.inc({ form: 'all' });
    return { serverName, keys: [] };
  }

  /** The deprecated form with a key id in the path (SPEC §4.2). */
  #one(exchange: Exchange, segments: readonly string[]): ServerQuery {
    const serverName = decodeSegment(segments[0] ?? '');
    const keyId = decodeSegment(segments[1] ?? '');
    this.options.metrics.keyQueries.inc({ form: 'deprecated' });
    const { logger, lines, xForwarded } = this.options;
    const isShown = lines.admit(clientAddress(exchange.request, xForwarded));
    if (isShown)
      logger.warn(
        { server_name: shown(serverName), key_id: shown(keyId), request_id: exchange.requestId },
        'deprecated key query with a key id in the path',
      );
    const query = queryOf(exchange.request.url ?? '');
    const minimumValidUntilTs = readIntegerParam(query, 'minimum_valid_until_ts');
    return { serverName, keys: [{ keyId, minimumValidUntilTs }] };
  }

  async #batch(exchange: Exchange): Promise<void> {
    const { limits, metrics, triesPlainBodies } = this.options;
    const requestBody = await readBody(exchange, limits.maxBodyBytes);
    const repeated = this.options.services().notary.queryAgain(requestBody);
    const read = () => parseKeyQueryBody(requestBody, limits, triesPlainBodies);
    const queries = repeated === null ? read() : [];
    metrics.keyQueries.inc({ form: 'batch' });
    if (repeated !== null) sendJsonBytes(exchange, repeated);
    else await this.#answer(exchange, read, { queries, requestBody });
  }

  /** Small answers at once; large ones when their turn has come, with the queries read anew. */
  #answer(exchange: Exchange, read: () => readonly ServerQuery[], first: Question): void | Promise<void> {
    const { notary } = this.options.services();
    const answer = notary.query(first.queries, first.requestBody, () => this.#askerOf(exchange));
    if (answer instanceof Promise) return answer.then((found) => this.#send(exchange, read, found));
    return this.#send(exchange, read, answer);
  }

  #send(exchange: Exchange, read: () => readonly ServerQuery[], answer: Buffer | null): void | Promise<void> {
    if (answer !== null) return sendJsonBytes(exchange, answer);
    const asker = this.#askerOf(exchange);
    const find = () => this.options.services().notary.queryLarge(read(), () => asker);
    return this.options.largeAnswers.send(exchange, { asker, find });
  }

  #askerOf({ request, requestId }: Exchange): Asker {
    return clientAsker(clientAddress(request, this.options.xForwarded), requestId);
  }

  /**
   * Our own record; the form with a key id is deprecated and answers the same. Nothing is ever fetched for it, so that
   * discovery of our own name which leads back here ends here.
   */
  #own(exchange: Exchange, segments: readonly string[]): void {
    if (segments.length > 1) throw unrecognizedRequest();
    exchange.route = 'own_keys';
    const { method } = exchange.request;
    if (method === 'OPTIONS') return sendPreflight(exchange);
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(READ_METHODS);
    const { ownKeys } = this.options.services();
    if (ownKeys === null) throw new ApiError(404, NOT_PUBLISHED, { errcode: 'M_NOT_FOUND' });
    sendJsonBytes(exchange, ownKeys.published());
  }
}

const SHOWN_LENGTH = 255;

/** For the log: what was asked for may be anything, a token in the wrong place too. */
function shown(text: string): string {
  return withoutTokens(text).slice(0, SHOWN_LENGTH);
}

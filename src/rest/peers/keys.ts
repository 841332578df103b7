import { clientAsker } from '../../core/net/address/client-asker.js';
import { ApiError, unrecognizedRequest } from '../../core/base/errors/api-error.js';
import type { Asker } from '../../core/base/places/asker.js';
import type { KeyQueryLimits, ServerQuery } from '../../core/notary/keys/key-query.js';
import type { Notary } from '../../core/notary/keys/notary.js';
import type { OwnKeys } from '../../core/notary/own-keys/own-keys.js';
import { withoutTokens, type Logger } from '../../core/base/logger.js';
import type { Metrics } from '../../core/base/metrics.js';
import { KEY_ROUTES, MINIMUM_VALID_UNTIL } from '../api/key-routes.js';
import { RouteTable } from '../api/route-table.js';
import type { LargeAnswers } from '../bounds/large-answers.js';
import type { RequestLines } from '../bounds/request-lines.js';
import { clientAddress, routedRequest, type Exchange } from '../request-exchange.js';
import { parseKeyQueryBody } from './key-query-body.js';
import { decodeSegment, queryOf } from '../params.js';
import { readBody } from '../read-body.js';
import { sendJsonBytes, sendPreflight } from '../respond.js';

/** What the key routes are built from. The two services are absent until the store is open. */
export interface KeyRoutesOptions {
  /** `/_svc` or `/_matrix`. */
  pathPrefix: string;
  services(): { notary: Notary; ownKeys: OwnKeys | null };
  limits: KeyQueryLimits & { maxBodyBytes: number };
  logger: Logger;
  metrics: Metrics;
  /** Whether a proxy in front states the client's address in X-Forwarded-For. */
  xForwarded: boolean;
  largeAnswers: LargeAnswers;
  lines: Pick<RequestLines, 'admit'>;
}

const NOT_PUBLISHED = 'The key record of this server name is published by its homeserver, not here';
/** Answers one route; `values` are the parameters of its path. */
type Handler = (exchange: Exchange, values: readonly string[]) => void | Promise<void>;

/**
 * The key routes (SPEC §4.1 to §4.3) and our own record (Matrix spec, "Retrieving server keys").
 * A plain handler in front of Express, because peers ask in bursts and the answers are ready bytes.
 */
export class KeyRoutes {
  readonly #prefix: string;
  readonly #routes: RouteTable<keyof typeof KEY_ROUTES>;
  readonly #handlers: Readonly<Record<keyof typeof KEY_ROUTES, Handler>> = {
    query: (exchange) => this.#batch(exchange),
    queryServer: (exchange, values) => this.#query(exchange, this.#all(values)),
    queryKey: (exchange, values) => this.#query(exchange, this.#one(exchange, values)),
    own: (exchange) => this.#own(exchange),
    ownKey: (exchange) => this.#own(exchange),
  };

  constructor(private readonly options: KeyRoutesOptions) {
    this.#prefix = `${options.pathPrefix}/key/v2/`;
    this.#routes = new RouteTable(options.pathPrefix, KEY_ROUTES);
  }

  /** Handles the exchange when its path is one of the key routes; `false` when it is not. Errors reject. */
  handle(exchange: Exchange): false | void | Promise<void> {
    const target = exchange.request.url ?? '';
    if (!target.startsWith(this.#prefix)) return false;
    const found = this.#routes.find(routedRequest(exchange));
    if (found === null) throw unrecognizedRequest();
    if (exchange.request.method === 'OPTIONS') return sendPreflight(exchange);
    return this.#handlers[found.name](exchange, found.values);
  }

  #query(exchange: Exchange, query: ServerQuery): void | Promise<void> {
    const queries = [query];
    return this.#answer(exchange, () => queries, queries);
  }

  #all([serverName = '']: readonly string[]): ServerQuery {
    const query = { serverName: decodeSegment(serverName), keys: [] };
    this.options.metrics.keyQueries.inc({ form: 'all' });
    return query;
  }

  /** The deprecated form with a key id in the path (SPEC §4.2). */
  #one(exchange: Exchange, segments: readonly string[]): ServerQuery {
    const serverName = decodeSegment(segments[0] ?? '');
    const keyId = decodeSegment(segments[1] ?? '');
    this.options.metrics.keyQueries.inc({ form: 'deprecated' });
    const { logger, lines, xForwarded } = this.options;
    const isShown = lines.admit(clientAddress(exchange.request, xForwarded), 'deprecation');
    if (isShown)
      logger.warn(
        { server_name: shown(serverName), key_id: shown(keyId), request_id: exchange.requestId },
        'deprecated key query with a key id in the path',
      );
    const query = queryOf(exchange.request.url ?? '');
    const minimumValidUntilTs = MINIMUM_VALID_UNTIL.read(query, exchange.target);
    return { serverName, keys: [{ keyId, minimumValidUntilTs }] };
  }

  async #batch(exchange: Exchange): Promise<void> {
    const { limits, metrics } = this.options;
    const requestBody = await readBody(exchange, limits.maxBodyBytes);
    const read = () => parseKeyQueryBody(requestBody, limits);
    const queries = read();
    metrics.keyQueries.inc({ form: 'batch' });
    await this.#answer(exchange, read, queries);
  }

  /** Sends small answers at once. A large one waits in a queue as its body, and is parsed again there: that is shorter. */
  #answer(
    exchange: Exchange,
    read: () => readonly ServerQuery[],
    queries: readonly ServerQuery[],
  ): void | Promise<void> {
    const { notary } = this.options.services();
    const answer = notary.query(queries, () => this.#askerOf(exchange));
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
  #own(exchange: Exchange): void {
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

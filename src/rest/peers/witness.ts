import { ApiError, unrecognizedRequest } from '../../core/base/errors/api-error.js';
import type { RateLimit } from '../../core/base/places/rate-limit.js';
import { clientAsker } from '../../core/net/address/client-asker.js';
import type { CheckpointWitness, WitnessVerdict } from '../../core/notary/witness/checkpoint-witness.js';
import { witnessPath } from '../../core/notary/witness/witness-path.js';
import { RouteTable } from '../api/route-table.js';
import { WITNESS_ROUTES } from '../api/log-routes.js';
import { readBody } from '../read-body.js';
import { clientAddress, routedRequest, type Exchange } from '../request-exchange.js';
import { BodyKind, sendBytes, sendPreflight } from '../respond.js';

/** What the routes of the witness are built from. */
export interface WitnessRoutesOptions {
  /** `/_svc` or `/_matrix`. */
  pathPrefix: string;
  /** Throws 503 until the store is open. */
  witness(): CheckpointWitness;
  /** Per client. */
  rateLimit: RateLimit;
  maxBodyBytes: number;
  /** Whether a proxy in front states the client's address in X-Forwarded-For. */
  xForwarded: boolean;
}

/** Room for a proof, and for sixteen of the largest signatures that notes may have. */
const MAX_OFFER_BYTES = 128 * 1024;
const TEXT = 'text/plain; charset=utf-8';

const COSIGNED = new BodyKind(TEXT, 'no-store');
const KNOWN_SIZE = new BodyKind('text/x.tlog.size', 'no-store', 409);
const CHECKPOINT = new BodyKind(TEXT, 'public, max-age=1');

const REFUSALS = {
  malformed: {
    status: 400,
    reason: 'offer_malformed',
    message: 'The body is no old size, proof and checkpoint',
  },
  size_below_old: {
    status: 400,
    reason: 'offer_size_below_old',
    message: 'The old size is above that of the checkpoint',
  },
  untrusted: {
    status: 403,
    reason: 'offer_untrusted',
    message: 'The checkpoint bears no valid signature of a key this witness knows for its log',
  },
  unknown_origin: {
    status: 404,
    reason: 'offer_unknown_origin',
    message: 'This witness does not know a log of this origin',
  },
  inconsistent: {
    status: 422,
    reason: 'offer_inconsistent',
    message: 'The proof does not lead from the last cosigned checkpoint to this one',
  },
  split_view: {
    status: 422,
    reason: 'offer_split_view',
    message: 'A checkpoint of this size with another root has been cosigned',
  },
} as const;

/** Answers one route; `values` are the parameters of its path. */
type Handler = (exchange: Exchange, values: readonly string[]) => Promise<void>;

/** The witness (SPEC §4.16), by C2SP tlog-witness. */
export class WitnessRoutes {
  readonly #prefix: string;
  readonly #routes: RouteTable<keyof typeof WITNESS_ROUTES>;
  readonly #handlers: Readonly<Record<keyof typeof WITNESS_ROUTES, Handler>> = {
    addCheckpoint: (exchange) => this.#offer(exchange),
    cosigned: (exchange, [originSha256 = '']) => this.#checkpoint(exchange, originSha256),
  };

  constructor(private readonly options: WitnessRoutesOptions) {
    this.#prefix = `${witnessPath(options.pathPrefix)}/`;
    this.#routes = new RouteTable(options.pathPrefix, WITNESS_ROUTES);
  }

  /** Handles the exchange when its path is one of the witness; `false` when it is not. Errors throw or reject. */
  handle(exchange: Exchange): false | void | Promise<void> {
    const target = exchange.request.url ?? '';
    if (!target.startsWith(this.#prefix)) return false;
    const found = this.#routes.find(routedRequest(exchange));
    if (found === null) throw unrecognizedRequest();
    if (exchange.request.method === 'OPTIONS') return sendPreflight(exchange);
    this.#takeTurn(exchange);
    return this.#handlers[found.name](exchange, found.values);
  }

  #takeTurn({ request, requestId }: Exchange): void {
    const { rateLimit, xForwarded } = this.options;
    rateLimit.take(clientAsker(clientAddress(request, xForwarded), requestId).key);
  }

  async #offer(exchange: Exchange): Promise<void> {
    const maxBytes = Math.min(this.options.maxBodyBytes, MAX_OFFER_BYTES);
    const body = await readBody(exchange, maxBytes);
    const verdict = await this.options.witness().addCheckpoint(body);
    if (verdict.outcome === 'cosigned') sendBytes(exchange, Buffer.from(verdict.line), COSIGNED);
    else if (verdict.outcome === 'stale') sendBytes(exchange, Buffer.from(`${verdict.size}\n`), KNOWN_SIZE);
    else throw refusalOf(verdict);
  }

  async #checkpoint(exchange: Exchange, originSha256: string): Promise<void> {
    const checkpoint = await this.options.witness().findCheckpoint(originSha256);
    if (checkpoint === null) {
      throw new ApiError(404, 'This witness has cosigned no log of this origin', { errcode: 'M_NOT_FOUND' });
    }
    sendBytes(exchange, Buffer.from(checkpoint), CHECKPOINT);
  }
}

function refusalOf({ outcome }: Exclude<WitnessVerdict, { outcome: 'cosigned' | 'stale' }>): ApiError {
  const { status, message, reason } = REFUSALS[outcome];
  return new ApiError(status, message, { reason });
}

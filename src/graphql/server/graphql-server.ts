import { ApolloServer, HeaderMap, type HTTPGraphQLResponse } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { GraphQLSchema } from 'graphql';

import { AuditNote } from '../../core/access/operators/audit.js';
import { hasRole, type Viewer } from '../../core/access/operators/viewer.js';
import { MINUTE_MS, SECOND_MS } from '../../core/base/clock.js';
import { Deadline, onAbort } from '../../core/base/deadline.js';
import { RateLimit } from '../../core/base/limits/rate-limit.js';
import type { Logger } from '../../core/base/logger.js';
import { addressClient } from '../../core/net/address/ip-address.js';
import type { OperatorServices } from '../../core/operators/operator-services.js';
import { graphqlError } from '../common/graphql-errors.js';
import { BatchLoaders, type GraphqlContext, type WatchedStage } from '../context.js';
import { complexityPlugin } from '../limits/complexity.js';
import { EXPENSIVE_MUTATIONS, WATCHED_MUTATIONS, type GraphqlLimits } from '../limits/limits.js';
import { answerError, errorPlugin, toClientError, type GraphqlAnswer } from './client-errors.js';
import { OperationCheck, type OperationShape } from './operation-check.js';
import { readOperationRequest, type OperationRequest } from './request-body.js';

/** Who may send operations as text: setting admin.graphql.ad_hoc. `operators` may send them in sessions, too. */
export type AdHoc = 'operators' | 'tokens' | 'never' | 'always';

/** What the API is built from. */
export interface GraphqlServerOptions {
  schema: GraphQLSchema;
  /** Throws 503 until the store has been opened. */
  services(): OperatorServices;
  /** The pages' own operations: id → text. */
  trusted: ReadonlyMap<string, string>;
  adHoc: AdHoc;
  limits: GraphqlLimits;
  logger: Logger;
}

/** One request, its sender known and cross-site defence passed. */
export interface GraphqlCall {
  body: Buffer;
  viewer: Viewer | null;
  /** Address of the client; `null` when not known. */
  address: string | null;
  requestId: string;
  /** Aborted when the client has gone. */
  gone: AbortSignal;
  /** Told of stages as they come; absent: nobody watches. */
  onStage?: (stage: WatchedStage) => void;
}

const ANONYMOUS_FIELDS: ReadonlySet<string> = new Set(['viewer', '__typename']);

/** The GraphQL API of the process, whichever listener a request came through. */
export class GraphqlServer {
  readonly #check: OperationCheck;
  readonly #requests: RateLimit;
  readonly #expensive: RateLimit;

  private constructor(
    private readonly options: GraphqlServerOptions,
    private readonly apollo: ApolloServer<GraphqlContext>,
  ) {
    const { limits } = options;
    this.#check = new OperationCheck(limits);
    this.#requests = rateLimit(limits.requestsPerSecond, SECOND_MS);
    this.#expensive = rateLimit(limits.expensivePerMinute, MINUTE_MS);
  }

  /** Checks the schema and makes ready. */
  static async start(options: GraphqlServerOptions): Promise<GraphqlServer> {
    const apollo = createApollo(options);
    await apollo.start();
    return new GraphqlServer(options, apollo);
  }

  /** Runs one operation. Rejects never for what the sender did. */
  async execute(call: GraphqlCall): Promise<GraphqlAnswer> {
    try {
      const request = readOperationRequest(call.body);
      this.#requests.take(callerOf(call));
      const query = this.#textOf(request, call.viewer);
      const shape = this.#check.check(query, request.operationName);
      refuseAnonymous(shape, call.viewer);
      if (shape.kind === 'subscription')
        throw graphqlError('BAD_REQUEST', 'There are no subscriptions; poll instead');
      return await this.#run(call, { ...request, query }, shape);
    } catch (error) {
      return answerError(error, call.requestId, this.options.logger);
    }
  }

  /** The text to run. Throws `OPERATION_NOT_TRUSTED` when only the pages' own are allowed and it is none. */
  #textOf({ id, query }: OperationRequest, viewer: Viewer | null): string {
    const { trusted, adHoc } = this.options;
    if (id !== null) {
      const text = trusted.get(id);
      if (text !== undefined) return text;
      throw notTrusted('There is no trusted document with this ID; reload the page');
    }
    if (query === null || !maySendText(adHoc, viewer))
      throw notTrusted('Operations can only be sent by the ID of a trusted document');
    return query;
  }

  async #run(
    call: GraphqlCall,
    document: { query: string } & OperationRequest,
    shape: OperationShape,
  ): Promise<GraphqlAnswer> {
    const { limits } = this.options;
    const services = this.options.services();
    const caller = callerOf(call);
    const fields = shape.kind === 'mutation' ? shape.rootFields : [];
    for (const name of fields)
      if (EXPENSIVE_MUTATIONS.includes(name)) this.#expensive.take(`${name} ${caller}`);
    const { query, operationName, variables } = document;
    const deadline = new Deadline(timeLimit(shape, limits), endsWithReader(shape) ? call.gone : undefined);
    const work = this.apollo
      .executeHTTPGraphQLRequest({
        httpGraphQLRequest: {
          method: 'POST',
          headers: JSON_HEADERS,
          search: '',
          body: { query, operationName, variables },
        },
        context: async () => contextOf(call, { services, signal: deadline.signal }),
      })
      .finally(() => deadline.close());
    return Promise.race([work.then(toAnswer), timeOut(deadline.signal)]);
  }
}

function notTrusted(message: string): Error {
  return graphqlError('OPERATION_NOT_TRUSTED', message);
}

/** So many operations at once, and again in each interval. */
function rateLimit(times: number, intervalMs: number): RateLimit {
  return new RateLimit(
    { burst: times, intervalMs: intervalMs / times },
    {
      clock: { now: () => performance.now() },
      refusal: 'Too many requests; wait before the next one',
      bound: 'graphql',
    },
  );
}

function contextOf(
  { viewer, requestId, address, onStage: watch }: GraphqlCall,
  given: Pick<GraphqlContext, 'services' | 'signal'>,
): GraphqlContext {
  const loaders = new BatchLoaders(() => context);
  const [audit, onStage] = [new AuditNote(), watch ?? null];
  const context: GraphqlContext = { viewer, requestId, address, onStage, loaders, audit, ...given };
  return context;
}

const JSON_HEADERS = new HeaderMap([
  ['content-type', 'application/json'],
  ['accept', 'application/json'],
]);

function createApollo({ schema, limits, logger }: GraphqlServerOptions): ApolloServer<GraphqlContext> {
  return new ApolloServer<GraphqlContext>({
    schema,
    logger,
    // Anonymous clients do not get that far, see `refuseAnonymous`.
    introspection: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    // `errorPlugin` keeps them from those who have no token.
    hideSchemaDetailsFromClientErrors: false,
    // For what fails outside of an operation; `errorPlugin` adds the request's id to all others.
    formatError: (_formatted, error) => toClientError(error, '').formatted,
    maxRecursiveSelections: true,
    parseOptions: { maxTokens: limits.tokens },
    // The process ends as its other parts say.
    stopOnTerminationSignals: false,
    nodeEnv: 'production',
    plugins: [
      // Some of these would be switched on by the environment, and send what is asked to somebody else.
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      complexityPlugin(limits.complexity),
      errorPlugin(logger),
    ],
  });
}

/** Whose permits a request takes: a session's, a token's, those of all commands, or of anonymous clients at one address. */
function callerOf({ viewer, address }: GraphqlCall): string {
  if (viewer?.method === 'command') return viewer.method;
  return viewer?.sessionId ?? viewer?.tokenId ?? addressClient(address ?? '');
}

/** Anonymous clients are refused later, with what helps them. */
function maySendText(adHoc: AdHoc, viewer: Viewer | null): boolean {
  if (viewer?.method === 'command') return true;
  if (adHoc === 'never') return false;
  if (viewer === null || viewer.method === 'api_token' || adHoc === 'always') return true;
  return adHoc === 'operators' && hasRole(viewer.role, 'operator');
}

/** Anonymous clients may ask who they are, which the page does before it shows the sign-in, and nothing else. */
function refuseAnonymous({ kind, rootFields }: OperationShape, viewer: Viewer | null): void {
  if (viewer !== null) return;
  if (kind === 'query' && rootFields.every((name) => ANONYMOUS_FIELDS.has(name))) return;
  throw graphqlError('UNAUTHENTICATED', 'Sign in first');
}

/** What nobody reads is not worth its time; what changes something goes on to its end. */
function endsWithReader({ kind, rootFields }: OperationShape): boolean {
  return kind === 'query' || rootFields.every((name) => WATCHED_MUTATIONS.includes(name));
}

function timeLimit({ kind, rootFields }: OperationShape, limits: GraphqlLimits): number {
  if (kind !== 'mutation') return limits.queryTimeoutMs;
  return Math.max(...rootFields.map((name) => limits.timeoutMs.get(name) ?? limits.mutationTimeoutMs), 1);
}

function timeOut(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    onAbort(signal, () => reject(graphqlError('TIMED_OUT', 'The operation took too long and was cancelled')));
  });
}

function toAnswer({ status, headers, body }: HTTPGraphQLResponse): GraphqlAnswer {
  if (body.kind === 'chunked') throw new Error('the schema has no @defer');
  const retryAfter = headers.get('retry-after');
  return {
    status: status ?? 200,
    retryAfterSeconds: retryAfter === undefined ? null : Number(retryAfter),
    body: body.string,
  };
}

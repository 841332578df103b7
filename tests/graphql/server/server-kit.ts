import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';

import { buildSchema, isObjectType, type GraphQLFieldResolver } from 'graphql';

import type { OperatorServices } from '../../../src/core/operators/operator-services.js';
import type { AuditEntry } from '../../../src/core/access/operators/audit.js';
import type { Viewer } from '../../../src/core/access/operators/viewer.js';
import { createLogger } from '../../../src/core/base/logger.js';
import type { GraphqlContext } from '../../../src/graphql/context.js';
import { guardFields } from '../../../src/graphql/guard-fields.js';
import { DEFAULT_LIMITS } from '../../../src/graphql/limits/limits.js';
import { GraphqlServer, type GraphqlServerOptions } from '../../../src/graphql/server/graphql-server.js';
import type { AnswerError } from '../../support/clients/admin-client.js';

type Resolver = GraphQLFieldResolver<unknown, GraphqlContext>;

export const ADMIN: Viewer = {
  name: 'Ann',
  role: 'admin',
  method: 'code',
  sessionId: 's1',
  tokenId: null,
  address: '127.0.0.1',
};

/** An answer of a server that runs without a network. */
export interface KitAnswer {
  status: number;
  retryAfterSeconds: number | null;
  data: Record<string, unknown> | null | undefined;
  errors: AnswerError[];
}

export interface ServerKit {
  send(
    query: string,
    change?: { viewer?: Viewer | null; requestId?: string; address?: string },
  ): Promise<KitAnswer>;
  post(body: Record<string, unknown>, viewer?: Viewer | null): Promise<KitAnswer>;
  /** Entries of the audit table. */
  audit: AuditEntry[];
  /** The log, as text. */
  log(): string;
}

/** A server with a schema of the test's own, guarded and audited like ours. */
export async function startKit(
  sdl: string,
  resolvers: Record<string, Resolver>,
  change: Partial<GraphqlServerOptions> & { auditFails?: boolean } = {},
): Promise<ServerKit> {
  const audit: AuditEntry[] = [];
  const lines: Buffer[] = [];
  const destination = new PassThrough();
  destination.on('data', (chunk: Buffer) => lines.push(chunk));
  const record = async (entry: AuditEntry): Promise<void> => {
    if (change.auditFails === true) throw new Error('disk full at /secret/path');
    audit.push(entry);
  };
  const server = await GraphqlServer.start({
    schema: schemaOf(sdl, resolvers),
    services: () => ({ access: { auditLog: { record } } }) as unknown as OperatorServices,
    trusted: new Map(),
    adHoc: 'always',
    limits: { ...DEFAULT_LIMITS, requestsPerSecond: 1000 },
    logger: createLogger({ level: 'info', destination }),
    ...change,
  });
  const post = async (
    body: unknown,
    viewer: Viewer | null,
    { requestId = 'r1', address = '127.0.0.1' }: { requestId?: string; address?: string } = {},
  ): Promise<KitAnswer> => {
    const answer = await server.execute({
      body: Buffer.from(JSON.stringify(body)),
      viewer,
      address,
      requestId,
      gone: new AbortController().signal,
    });
    const { data, errors = [] } = JSON.parse(answer.body) as Partial<KitAnswer>;
    return { status: answer.status, retryAfterSeconds: answer.retryAfterSeconds, data, errors };
  };
  return {
    audit,
    log: () => Buffer.concat(lines).toString('utf8'),
    post: (body, viewer = ADMIN) => post(body, viewer),
    send: (query, { viewer = ADMIN, ...from } = {}) => post({ query }, viewer, from),
  };
}

function schemaOf(sdl: string, resolvers: Record<string, Resolver>): GraphqlServerOptions['schema'] {
  const schema = buildSchema(sdl);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      field.resolve = (resolvers[field.name] ?? (() => 'fine')) as GraphQLFieldResolver<unknown, unknown>;
    }
  }
  guardFields(schema);
  return schema;
}

/** Id and text of a trusted document. */
export function trusted(text: string): [string, string] {
  return [createHash('sha256').update(text).digest('hex'), text];
}

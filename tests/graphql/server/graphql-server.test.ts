import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';

import { AuditNote } from '../../../src/core/access/operators/audit.js';
import { onAbort } from '../../../src/core/base/deadline.js';
import { ApiError, notReady, storeUnavailable } from '../../../src/core/base/errors/api-error.js';
import { DEFAULT_LIMITS } from '../../../src/graphql/limits/limits.js';
import { codesOf } from '../../support/clients/admin-client.js';
import { ADMIN, startKit, trusted } from './server-kit.js';

const SECRET = 'postgresql://vidimus:hunter2@10.0.0.7/vidimus';

describe('errors of resolvers', () => {
  it.each([
    ['an Error', new Error(SECRET)],
    [
      'a GraphQLError with a foreign code',
      new GraphQLError(SECRET, { extensions: { code: 'ECONNREFUSED' } }),
    ],
    ['an ApiError that is an error of ours', new ApiError(500, SECRET)],
  ])('%s becomes "Internal error" with the request id', async (_, thrown) => {
    const kit = await startKit('type Query { bad: String! }', {
      bad: () => {
        throw thrown;
      },
    });
    const answer = await kit.send('{ bad }', { requestId: 'r77' });

    expect(answer.status).toBe(500);
    expect(answer.errors).toMatchObject([
      { message: 'Internal error', extensions: { code: 'INTERNAL_SERVER_ERROR', requestId: 'r77' } },
    ]);
    expect(JSON.stringify(answer)).not.toMatch(/hunter2|10\.0\.0\.7|stack/);
    expect(kit.log()).toContain('r77');
  });

  it('a part that failed leaves the rest of the answer', async () => {
    const kit = await startKit('type Query { good: String, bad: String }', {
      bad: () => {
        throw new Error(SECRET);
      },
    });
    const answer = await kit.send('{ good bad }');

    expect(answer).toMatchObject({
      status: 200,
      data: { good: 'fine', bad: null },
      errors: [{ path: ['bad'] }],
    });
  });

  it.each([
    [
      new ApiError(400, 'no such cursor', { errcode: 'M_INVALID_PARAM', detail: SECRET }),
      400,
      'BAD_USER_INPUT',
    ],
    [storeUnavailable(new Error(SECRET)), 503, 'NOT_READY'],
    [Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }), 503, 'NOT_READY'],
    [new ApiError(429, 'slow', { errcode: 'M_LIMIT_EXCEEDED', retryAfterSeconds: 3 }), 429, 'RATE_LIMITED'],
  ])('%s keeps its public text only: %i %s', async (error, status, code) => {
    const kit = await startKit('type Query { bad: String }', {
      bad: () => {
        throw error;
      },
    });
    const answer = await kit.send('{ bad }');

    expect(answer.errors[0]?.extensions.code).toBe(code);
    expect(answer.status).toBe(status === 400 ? 200 : status);
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(answer.retryAfterSeconds).toBe({ 400: null, 503: 5, 429: 3 }[status]);
  });
});

describe('a store that is not open', () => {
  it('is NOT_READY, with the time to wait', async () => {
    const services = (): never => {
      throw notReady();
    };
    const kit = await startKit('type Query { a: String }', {}, { services });

    expect(await kit.send('{ a }')).toMatchObject({
      status: 503,
      retryAfterSeconds: 5,
      errors: [{ extensions: { code: 'NOT_READY', retryAfterMs: 5000, requestId: 'r1' } }],
    });
  });
});

describe('time', () => {
  const limits = {
    ...DEFAULT_LIMITS,
    queryTimeoutMs: 30,
    mutationTimeoutMs: 40,
    timeoutMs: new Map([['slow', 60_000]]),
  };
  const SDL = 'type Query { wait: String } type Mutation { slow: String, change: String }';

  it.each(['{ wait }', 'mutation { change }'])(
    '%s: 504 TIMED_OUT, and the work is told to stop',
    async (query) => {
      const aborted: boolean[] = [];
      const waits = (_root: unknown, _args: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise<string>((_, reject) => {
          onAbort(signal, () => {
            aborted.push(true);
            reject(new Error('stopped'));
          });
        });
      const kit = await startKit(SDL, { wait: waits, change: waits }, { limits });
      const answer = await kit.send(query);

      expect([answer.status, ...codesOf(answer as never)]).toEqual([504, 'TIMED_OUT']);
      expect(aborted).toEqual([true]);
    },
  );
});

describe('rates', () => {
  const SDL = `type Query { a: String } type Mutation { tryPreview: String, diagnoseServer: String, other: String }`;

  it('20 operations a second for each session, then RATE_LIMITED with the time to wait', async () => {
    const kit = await startKit(SDL, {}, { limits: DEFAULT_LIMITS });
    const answers = await Promise.all(Array.from({ length: 40 }, () => kit.send('{ a }')));
    const refused = answers.filter(({ status }) => status === 429);

    expect(refused.length).toBeGreaterThanOrEqual(15);
    expect(refused[0]?.errors[0]?.extensions).toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterMs: expect.any(Number),
    });
    expect(refused[0]?.retryAfterSeconds).toBe(1);
    expect((await kit.send('{ a }', { viewer: { ...ADMIN, sessionId: 's2' } })).status).toBe(200);
  });

  it('the same for all anonymous clients of one IPv6 network', async () => {
    const kit = await startKit(SDL, {}, { limits: DEFAULT_LIMITS });
    const ask = (address: string) => kit.send('{ a }', { viewer: null, address });
    const statuses = async (network: string, count: number) =>
      (await Promise.all(Array.from({ length: count }, (_, at) => ask(`${network}::${at}`)))).map(
        ({ status }) => status,
      );

    expect(await statuses('2001:db8:1:1', 40)).toContain(429);
    expect(await statuses('2001:db8:1:2', 10)).not.toContain(429);
  });

  it.each(['tryPreview', 'diagnoseServer'])(
    '%s: 10 a minute, however they are put together',
    async (name) => {
      const kit = await startKit(SDL, {});
      const three = `mutation { a: ${name} ...F } fragment F on Mutation { b: ${name} ... { c: ${name} } }`;
      for (let run = 0; run < 3; run += 1) expect((await kit.send(three)).status).toBe(200);

      expect((await kit.send(three)).status).toBe(429);
      expect((await kit.send(`mutation { ${name} }`)).retryAfterSeconds).toBeGreaterThan(1);
      expect((await kit.send('mutation { other }')).status).toBe(200);
      expect((await kit.send(`mutation { ${name} }`, { viewer: { ...ADMIN, sessionId: 's2' } })).status).toBe(
        200,
      );
    },
  );
});

describe('trusted documents', () => {
  const [id, text] = trusted('query Page($x: Int) { add(x: $x) }');
  const SDL = 'type Query { add(x: Int): Int, viewer: String }';
  const add = { add: (_root: unknown, { x }: { x?: number }) => (x ?? 0) + 1 };
  const API: typeof ADMIN = { ...ADMIN, method: 'api_token', sessionId: null, tokenId: 't1' };

  it('an id runs its text with variables', async () => {
    const kit = await startKit(SDL, add as never, { trusted: new Map([[id, text]]), adHoc: 'never' });
    const answer = await kit.post({ id, operationName: 'Page', variables: { x: 41 } });

    expect(answer.data).toEqual({ add: 42 });
  });

  it.each([
    ['tokens', ADMIN, 'OPERATION_NOT_TRUSTED'],
    ['tokens', API, null],
    ['tokens', null, null],
    ['never', ADMIN, 'OPERATION_NOT_TRUSTED'],
    ['never', API, 'OPERATION_NOT_TRUSTED'],
    ['never', null, 'OPERATION_NOT_TRUSTED'],
    ['always', ADMIN, null],
  ] as const)('text with ad_hoc %s from %o: %s', async (adHoc, viewer, code) => {
    const kit = await startKit(SDL, {}, { trusted: new Map([[id, text]]), adHoc });
    const answer = await kit.send('{ viewer }', { viewer });

    expect(answer.errors[0]?.extensions.code ?? null).toBe(code);
    expect(answer.status).toBe(code === null ? 200 : 400);
  });
});

describe('roles and the audit', () => {
  const SDL = `type Query { viewer: String, other: String }
    type Payload { userErrors: [UserError!]! } type UserError { code: String, message: String }
    type Mutation { change: Payload, bad: String! }`;
  const viewer = { ...ADMIN, role: 'viewer' as const };

  it('what says nothing about roles needs somebody signed in', async () => {
    const kit = await startKit(SDL, {});

    expect(await kit.send('{ viewer }', { viewer: null })).toMatchObject({
      status: 200,
      data: { viewer: 'fine' },
    });
    expect(codesOf((await kit.send('{ other }', { viewer: null })) as never)).toEqual(['UNAUTHENTICATED']);
    expect((await kit.send('{ other }', { viewer })).data).toEqual({ other: 'fine' });
  });

  it('a mutation leaves an entry: who, what, outcome, request id, and what it says of itself', async () => {
    const kit = await startKit(SDL, {
      change: (_root, _args, { audit }) => {
        audit.about({ targetType: 'Job', targetId: 'j1', summary: 'Paused it', detail: { a: 1 } });
        return { userErrors: [] };
      },
      userErrors: () => [],
    });
    await kit.send('mutation { change { userErrors { code } } }');

    expect(kit.audit).toEqual([
      {
        actor: 'Ann',
        role: 'admin',
        method: 'code',
        action: 'change',
        targetType: 'Job',
        targetId: 'j1',
        summary: 'Paused it',
        outcome: 'ok',
        address: '127.0.0.1',
        requestId: 'r1',
        detail: { a: 1 },
      },
    ]);
  });

  it('an expected failure and an error are entries, too; the next mutation inherits nothing', async () => {
    const kit = await startKit(SDL, {
      change: (_root, _args, { audit }) => {
        audit.about({ targetId: 'x' });
        return { userErrors: [{ code: 'NOT_FOUND', message: 'no such job' }] };
      },
      bad: () => {
        throw new Error(SECRET);
      },
      userErrors: () => [],
    });
    await kit.send('mutation { change { userErrors { code } } bad }');

    expect(kit.audit).toMatchObject([
      { action: 'change', outcome: 'failed', targetId: 'x', detail: { failure: 'NOT_FOUND: no such job' } },
      { action: 'bad', outcome: 'failed', targetId: null },
    ]);
    expect(JSON.stringify(kit.audit)).not.toContain('hunter2');
  });

  it('a note is taken once', () => {
    const note = new AuditNote();
    note.about({ summary: 'a' });
    note.about({ targetId: 'b' });

    expect([note.take(), note.take()]).toEqual([{ summary: 'a', targetId: 'b' }, {}]);
  });
});

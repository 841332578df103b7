import { beforeEach, describe, expect, it } from 'vitest';

import { AdminClient, codesOf, startGraphqlService } from '../support/clients/admin-client.js';
import { setUp } from '../support/set-up.js';

describe('hostile queries', () => {
  const service = setUp(startGraphqlService);
  let client: AdminClient;

  beforeEach(async () => {
    client = await AdminClient.withToken(service, 'admin_read');
  });

  const times = (count: number, part: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => part(index)).join(' ');

  const DOUBLING = `{ ...F0 } ${times(15, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`)}
    fragment F15 on Query { __typename }`;

  it.each([
    [
      'of too many fields of its own',
      `{ ${times(11, () => '__typename')} }`,
      { what: 'number of root fields', limit: 10, actual: 11 },
    ],
    ['of fragments that double', DOUBLING, { what: 'number of root fields', limit: 10 }],
  ])('one %s is QUERY_TOO_COMPLEX with limit and actual', async (_, query, extensions) => {
    const answer = await client.send(query);

    expect(answer.status).toBe(400);
    expect(answer.errors[0]?.extensions).toMatchObject({ code: 'QUERY_TOO_COMPLEX', ...extensions });
  });

  it('the cost counts pages as long as variables make them', async () => {
    const query = 'query ($n: Int) { servers(first: $n) { nodes { ...S } } }';
    const fragment = `fragment S on RemoteServer { ${times(12, (n) => `a${n}: alarms { id at kind }`)} }`;
    const small = await client.send(`${query} ${fragment}`, { n: 1 });
    const large = await client.send(`${query} ${fragment}`, { n: 100 });

    expect(codesOf(small)).toEqual([]);
    expect(codesOf(large)).toEqual(['QUERY_TOO_COMPLEX']);
    expect(large.errors[0]?.extensions).toMatchObject({ what: 'complexity', limit: 10_000 });
  });

  it.each([
    ['of too many tokens', `{ ${'__typename '.repeat(1000)} }`],
    ['that is not GraphQL', '{ __typename '],
    ['of endless brackets', '{a'.repeat(50_00)],
    ['of a deep literal', `{ jobRun(id: ${'{a: '.repeat(600)}1${'}'.repeat(600)}) { id } }`],
  ])('a text %s is GRAPHQL_PARSE_FAILED', async (_, query) => {
    const answer = await client.send(query);

    expect(answer.status).toBe(400);
    expect(codesOf(answer)).toEqual(['GRAPHQL_PARSE_FAILED']);
  });

  it.each([
    ['fragments in a circle', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'],
    ['a deep list where a string belongs', `{ jobRun(id: ${'['.repeat(300)}${']'.repeat(300)}) { id } }`],
  ])('%s: GRAPHQL_VALIDATION_FAILED, without traces', async (_, query) => {
    const answer = await client.send(query);
    const text = JSON.stringify(answer.errors);

    expect(answer.status).toBe(400);
    expect(new Set(codesOf(answer))).toEqual(new Set(['GRAPHQL_VALIDATION_FAILED']));
    expect(text).not.toMatch(/stacktrace|node_modules|src\//);
  });

  it('a field that is misspelt is put right for the signed-in, and for nobody else', async () => {
    const query = '{ jobz { id } }';
    const [holder, nobody] = [await client.send(query), await AdminClient.anonymous(service).send(query)];

    expect([holder.status, holder.errors[0]?.message]).toEqual([
      400,
      'Cannot query field "jobz" on type "Query". Did you mean "job" or "jobs"?',
    ]);
    expect(JSON.stringify(nobody.errors)).not.toContain('jobz');
  });

  it.each(['subscription { x }', 'subscription S { overview { version } }'])('%s is 400', async (query) => {
    const answer = await client.send(query);

    expect([answer.status, codesOf(answer)]).toEqual([400, ['BAD_REQUEST']]);
  });

  it.each([
    ['of the wrong type', 'query ($id: ID!) { jobRun(id: $id) { id } }', { id: { deep: [1] } }],
    ['with a page of 101', 'query ($n: Int) { servers(first: $n) { totalCount } }', { n: 101 }],
  ])('variables %s: BAD_USER_INPUT', async (_, query, variables) => {
    const answer = await client.send(query, variables);

    expect(answer.status).toBe(400);
    expect(codesOf(answer)).toEqual(['BAD_USER_INPUT']);
  });

  it.each([
    ['no JSON', '{"query": '],
    ['a list of operations', '[{"query":"{__typename}"}]'],
    ['both id and query', '{"id":"a","query":"{__typename}"}'],
    ['variables as text', '{"query":"{__typename}","variables":"{}"}'],
    ['two operations and no name', '{"query":"query A{__typename} query B{__typename}"}'],
  ])('a body that is %s: BAD_REQUEST', async (_, body) => {
    const answer = await client.post(body);

    expect(answer.status).toBe(400);
    expect(codesOf(answer)).toEqual(['BAD_REQUEST']);
    expect(answer.errors[0]?.extensions.requestId).toBe(answer.headers.get('x-request-id'));
  });

  it('a body above 100 kB: 413, in JSON', async () => {
    const answer = await client.post(
      JSON.stringify({ query: '{__typename}', variables: { a: 'x'.repeat(100_000) } }),
    );

    expect(answer.status).toBe(413);
    expect(codesOf(answer)).toEqual(['BAD_REQUEST']);
  });

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS'])('%s: 405 with Allow', async (method) => {
    const answer = await fetch(`${client.url}?query={__typename}`, { method, headers: client.headers });

    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(await answer.text()).not.toContain('__typename');
  });

  it('variables nested 40,000 deep: BAD_REQUEST', async () => {
    const deep = `${'['.repeat(40_000)}${']'.repeat(40_000)}`;
    const body = `{"query":"query($id:String!){job(name:$id){id}}","variables":{"id":${deep}}}`;
    const answer = await client.post(body);

    expect(answer.status).toBe(400);
    expect(codesOf(answer)).toEqual(['BAD_REQUEST']);
  });

  it('anonymous clients learn nothing of the schema', async () => {
    const anonymous = AdminClient.anonymous(service);
    const texts = [
      '{ __schema { types { name } } }',
      '{ __type(name: "Query") { name } }',
      '{ ...A } fragment A on Query { __schema { types { name } } }',
      '{ ... { jobs { id } } }',
      '{ nonsense }',
      '{ viewer { nonsense } }',
      '{ viewer { nonsense name { a } } }',
      '{ ...Nowhere }',
      '{ viewer { name } } fragment A on Media { owner nonsense }',
      'query ($a: MediaFilter) { viewer { name } }',
      'mutation { endSession { deleted } }',
    ];
    for (const query of texts) {
      const answer = await anonymous.send(query);
      expect(answer.status).toBe(401);
      expect(codesOf(answer)).toEqual(['UNAUTHENTICATED']);
    }
  });

  it('introspection that folds out without end is refused', async () => {
    const query = `{ __schema { types { ${'fields { type { '.repeat(6)} name ${'} } '.repeat(6)} } } }`;

    expect(codesOf(await client.send(query))).toContain('GRAPHQL_VALIDATION_FAILED');
  });
});

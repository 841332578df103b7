import { getNamedType, isLeafType, isNonNullType } from 'graphql';
import { describe, expect, it } from 'vitest';

import { leastValue } from './least-value.js';
import { ROLES_BY_FIELD } from './role-table.js';
import { fieldsOf, type Field } from '../../src/graphql/guard-fields.js';
import { createSchema } from '../../src/graphql/schema.js';
import { adminListeners } from '../rest/operators/admin-kit.js';
import { AdminClient, codesOf, startGraphqlService } from '../support/clients/admin-client.js';
import { setUp } from '../support/set-up.js';

const schema = createSchema();
const queries = fieldsOf(schema.getQueryType()!);
const mutations = fieldsOf(schema.getMutationType()!);
const CALLERS = ['anonymous', 'viewer', 'operator', 'admin'] as const;
type Caller = (typeof CALLERS)[number];

describe('roles × operations', () => {
  const service = setUp(() => startGraphqlService({ settings: adminListeners({ x_forwarded: true }) }));

  it('the table below has every operation of the schema, and no other', () => {
    const names = [...queries, ...mutations].map(({ name }) => name);

    expect([...ROLES_BY_FIELD.keys()].sort()).toEqual(names.sort());
  });

  async function outcome(caller: Caller, kind: 'query' | 'mutation', field: Field): Promise<string> {
    // One client for each call: a mutation such as endSession takes the session away, and each may send so often only.
    const client =
      caller === 'anonymous'
        ? AdminClient.anonymous(service, { 'x-forwarded-for': nextAddress() })
        : caller === 'operator'
          ? await AdminClient.signIn(service, 'operator')
          : await AdminClient.withToken(service, caller === 'admin' ? 'admin_write' : 'admin_read');
    const codes = codesOf(await client.send(...callOf(kind, field)));
    if (codes.includes('RATE_LIMITED')) throw new Error('the limit hides what the guard says');
    if (codes.includes('UNAUTHENTICATED')) return 'UNAUTHENTICATED';
    return codes.includes('FORBIDDEN') ? 'FORBIDDEN' : 'let in';
  }

  let anonymousClients = 0;
  function nextAddress(): string {
    anonymousClients += 1;
    return `192.0.2.${anonymousClients}`;
  }

  function expected(caller: Caller, name: string): string {
    const role = ROLES_BY_FIELD.get(name) ?? 'admin';
    if (role === 'anonymous') return 'let in';
    if (caller === 'anonymous') return 'UNAUTHENTICATED';
    return CALLERS.indexOf(caller) >= CALLERS.indexOf(role) ? 'let in' : 'FORBIDDEN';
  }

  const cases = [
    ...queries.map((field) => ({ kind: 'query' as const, field, name: field.name })),
    ...mutations.map((field) => ({ kind: 'mutation' as const, field, name: field.name })),
  ];

  it.each(cases)('$kind $name lets in whom the table says', async ({ kind, field, name }) => {
    const seen: Record<string, string> = {};
    for (const caller of CALLERS) seen[caller] = await outcome(caller, kind, field);

    expect(seen).toEqual(Object.fromEntries(CALLERS.map((caller) => [caller, expected(caller, name)])));
  });
});

/** An operation with the least arguments there can be. */
function callOf(kind: 'query' | 'mutation', field: Field): [string, Record<string, unknown>] {
  const args = field.args.filter((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined);
  const declared = args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ');
  const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const inner = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
  const text =
    args.length === 0
      ? `${kind} { ${field.name}${inner} }`
      : `${kind} (${declared}) { ${field.name}(${given})${inner} }`;
  return [text, Object.fromEntries(args.map((arg) => [arg.name, leastValue(arg.type)]))];
}

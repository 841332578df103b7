import 'reflect-metadata';

import { readFileSync } from 'node:fs';

import { getNamedType, isNonNullType, isObjectType, validateSchema, type GraphQLObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';

import { AUDIT_ACTIONS } from '../../src/core/access/operators/audit.js';
import { isKeyOf } from '../../src/core/base/json/is-record.js';
import { schemaText } from '../../src/graphql/documented.js';
import { fieldsOf } from '../../src/graphql/guard-fields.js';
import { createSchema } from '../../src/graphql/schema.js';

const schema = createSchema();
const objects = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
);
const typeNames = objects.map(({ name }) => name);

describe('the schema', () => {
  it('is valid', () => {
    expect(validateSchema(schema)).toEqual([]);
  });

  it('is the one committed as web-admin/schema.graphql (npm run generate writes it)', () => {
    const committed = readFileSync(new URL('../../web-admin/schema.graphql', import.meta.url), 'utf8');

    expect(schemaText(schema)).toBe(committed);
  });

  it('has a description of every type, field, argument and value', () => {
    const text = schemaText(schema);
    const lines = text
      .split('\n')
      .filter((line) => /^(?:type|input|enum|scalar|interface) (?!Query|Mutation)|^ +\w+/.test(line));
    const without = lines.filter((line) => !text.includes(`"\n${line}\n`) && !/^ *"/.test(line));

    expect(without).toEqual([]);
  });

  it.each(typeNames.filter((name) => name.endsWith('Connection')))('%s is a page of a list', (name) => {
    const fields = Object.fromEntries(
      fieldsOf(schema.getType(name) as GraphQLObjectType).map((field) => [field.name, String(field.type)]),
    );
    const item = name.replace(/Connection$/, '');

    expect(fields).toEqual({
      nodes: `[${item}!]!`,
      pageInfo: 'PageInfo!',
      totalCount: 'Int!',
    });
  });

  it('every mutation answers with userErrors', () => {
    const wrong = fieldsOf(schema.getMutationType()!).filter((field) => {
      const payload = getNamedType(field.type);
      return !isObjectType(payload) || String(payload.getFields()['userErrors']?.type) !== '[UserError!]!';
    });

    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('every mutation is an audited operation', () => {
    const names = fieldsOf(schema.getMutationType()!).map(({ name }) => name);

    expect(names.filter((name) => !isKeyOf(AUDIT_ACTIONS, name))).toEqual([]);
  });

  it('a field hidden below a role can be null', () => {
    const roots = new Set([schema.getQueryType(), schema.getMutationType()]);
    const wrong = objects
      .filter((type) => !roots.has(type))
      .flatMap((type) => fieldsOf(type).map((field) => ({ type, field })))
      .filter(({ field }) => field.extensions['requires'] !== undefined && isNonNullType(field.type));

    expect(wrong.map(({ type, field }) => `${type.name}.${field.name}`)).toEqual([]);
  });
});

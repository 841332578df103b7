import { readFileSync } from 'node:fs';

import {
  Kind,
  buildSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isUnionType,
  type GraphQLField,
  type GraphQLNamedType,
} from 'graphql';

import { code, table } from './markdown.js';

/** `docs/reference/graphql.md`: the operators' API, in the words of its schema. */
export function graphqlPage(): string {
  const text = readFileSync(new URL('../../web-admin/schema.graphql', import.meta.url), 'utf8');
  const schema = buildSchema(text, { assumeValid: true });
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()];
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && type !== query && type !== mutation)
    .filter((type) => !/^(?:String|Int|Float|Boolean|ID)$/.test(type.name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [
    '# GraphQL',
    'Made from [schema.graphql](../../web-admin/schema.graphql) by `npm run docs`. `POST {base_path}/api/graphql`, JSON, with a session of the pages or `Authorization: Bearer` and a token of the scope `admin_read`, `admin_operate` or `admin`. Without another role a field is for viewers. Lists are pages: `first`, `after`, and `pageInfo` with the cursor of the next one. [GRAPHQL](../GRAPHQL.md) has a worked example.',
    '## Queries',
    fields(Object.values(query?.getFields() ?? {})),
    '## Mutations',
    fields(Object.values(mutation?.getFields() ?? {})),
    '## Types',
    ...types.flatMap((type) => [`### ${type.name}`, ...typeBody(type)]),
  ].join('\n\n').concat('\n');
}

type AnyField = GraphQLField<unknown, unknown>;

function fields(all: readonly AnyField[]): string {
  return table(
    ['field', 'type', 'role', 'meaning'],
    all.map((field) => [code(`${field.name}${args(field)}`), code(String(field.type)), roleOf(field), words(field)]),
  );
}

function args({ args: all }: AnyField): string {
  return all.length === 0 ? '' : `(${all.map((each) => `${each.name}: ${String(each.type)}`).join(', ')})`;
}

function roleOf({ astNode }: AnyField): string {
  const directive = astNode?.directives?.find(({ name }) => name.value === 'auth');
  const value = directive?.arguments?.[0]?.value;
  return value?.kind === Kind.ENUM ? value.value.toLowerCase() : 'viewer';
}

function typeBody(type: GraphQLNamedType): string[] {
  const about = words(type);
  const head = about === '' ? [] : [`${about}.`.replace(/\.\.$/, '.')];
  if (isObjectType(type) || isInterfaceType(type)) return [...head, fields(Object.values(type.getFields()))];
  if (isUnionType(type)) return [...head, type.getTypes().map(({ name }) => code(name)).join(', ')];
  if (isEnumType(type))
    return [...head, table(['value', 'meaning'], type.getValues().map((each) => [code(each.name), words(each)]))];
  if (isInputObjectType(type))
    return [
      ...head,
      table(
        ['member', 'type', 'meaning'],
        Object.values(type.getFields()).map((each) => [code(each.name), code(String(each.type)), words(each)]),
      ),
    ];
  return isScalarType(type) ? head : [];
}

function words({ description }: { description?: string | null | undefined }): string {
  return (description ?? '').trim();
}

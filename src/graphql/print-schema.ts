import {
  Kind,
  isObjectType,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  visit,
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
} from 'graphql';

import { fieldsOf, requiredRole } from './guard-fields.js';

/** The schema as text: sorted, with the role each field needs as `@auth`. Committed as web-admin/schema.graphql. */
export function printAnnotatedSchema(schema: GraphQLSchema): string {
  const document = parse(printSchema(lexicographicSortSchema(schema)));
  const annotated = visit(document, {
    ObjectTypeDefinition: (type) => ({
      ...type,
      fields: (type.fields ?? []).map((field) => annotate(field, roleOf(schema, type.name.value, field))),
    }),
  });
  return `${print(annotated)}\n`;
}

function roleOf(schema: GraphQLSchema, typeName: string, field: FieldDefinitionNode): string | null {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return null;
  const found = fieldsOf(type).find(({ name }) => name === field.name.value);
  return found === undefined ? null : (requiredRole(found)?.toUpperCase() ?? null);
}

function annotate(field: FieldDefinitionNode, role: string | null): FieldDefinitionNode {
  if (role === null) return field;
  const directive: ConstDirectiveNode = {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: 'auth' },
    arguments: [
      {
        kind: Kind.ARGUMENT,
        name: { kind: Kind.NAME, value: 'requires' },
        value: { kind: Kind.ENUM, value: role },
      },
    ],
  };
  return { ...field, directives: [...(field.directives ?? []), directive] };
}

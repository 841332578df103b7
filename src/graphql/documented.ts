import { DirectiveLocation, GraphQLDirective, GraphQLNonNull, GraphQLSchema, isEnumType } from 'graphql';

const SCALARS: ReadonlyMap<string, string> = new Map([
  ['DateTime', 'ISO 8601 instant in UTC with milliseconds, e.g. 2026-11-20T21:13:58.000Z'],
  [
    'SafeInt',
    "Whole number within plus or minus 2^53-1. Used for byte counts, durations and protocol timestamps, which do not fit GraphQL's 32-bit Int",
  ],
  ['JSON', 'Any JSON value, exactly as stored'],
]);

/** The same schema with what people need to read it: our words for scalars, and the directive `@auth`. */
export function documented(schema: GraphQLSchema): GraphQLSchema {
  for (const [name, description] of SCALARS) {
    const scalar = schema.getType(name);
    if (scalar !== undefined) scalar.description = description;
  }
  const role = schema.getType('Role');
  if (!isEnumType(role)) return schema;
  const auth = new GraphQLDirective({
    name: 'auth',
    description: 'Lowest role that may read the field or run the mutation. No directive means VIEWER.',
    locations: [DirectiveLocation.FIELD_DEFINITION],
    args: { requires: { type: new GraphQLNonNull(role) } },
  });
  const config = schema.toConfig();
  return new GraphQLSchema({ ...config, directives: [...config.directives, auth] });
}

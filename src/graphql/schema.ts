import 'reflect-metadata';

import type { GraphQLSchema } from 'graphql';
import { GraphQLDateTime } from 'graphql-scalars';
import { buildSchemaSync } from 'type-graphql';
import type { NonEmptyArray } from 'type-graphql';

import { NodeResolver } from './common/node.resolver.js';
import { guardFields } from './guard-fields.js';
import { OverviewResolver } from './overview/overview.resolver.js';

/** Every area's resolvers, one line each. */
const RESOLVERS: NonEmptyArray<new () => object> = [NodeResolver, OverviewResolver];

/** The schema of the operators' side. Every root field is guarded and every mutation audited, whoever wrote it. */
export function createSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: RESOLVERS,
    scalarsMap: [{ type: Date, scalar: GraphQLDateTime }],
    validate: false,
  });
  guardFields(schema);
  return schema;
}

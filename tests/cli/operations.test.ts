import { readFileSync } from 'node:fs';

import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  parse,
  typeFromAST,
  validate,
  type GraphQLInputType,
  type OperationDefinitionNode,
} from 'graphql';
import { expect, it } from 'vitest';

import type { Parameter } from '../../src/cli/api/operation.js';
import { OPERATIONS } from '../../src/cli/program.js';

const SCHEMA = buildSchema(readFileSync('web-admin/schema.graphql', 'utf8'));
function operationOf(document: string): OperationDefinitionNode {
  return parse(document).definitions[0] as OperationDefinitionNode;
}

/** The type of what a path of variables leads to; `null` for a path that leads nowhere. */
function typeAt(document: string, path: string): GraphQLInputType | null {
  const [first, ...rest] = path.split('.');
  const { variableDefinitions = [] } = operationOf(document);
  const declared = variableDefinitions.find(({ variable }) => variable.name.value === first)?.type;
  const start = declared === undefined ? null : (typeFromAST(SCHEMA, declared as never) ?? null);
  return rest.reduce<GraphQLInputType | null>(
    (type, name) => {
      const named = getNamedType(type);
      return isInputObjectType(named) ? (named.getFields()[name]?.type ?? null) : null;
    },
    start as GraphQLInputType | null,
  );
}

it.each(OPERATIONS.map((operation) => [operation.command, operation] as const))(
  '"%s" sends what the schema takes, and fills variables that there are',
  (_words, { document, parameters = [], variables = {} }) => {
    const { selectionSet } = operationOf(document);

    expect(validate(SCHEMA, parse(document))).toEqual([]);
    expect(selectionSet.selections).toHaveLength(1);
    const isKnown = ({ to, choices, read }: Parameter): boolean => {
      const named = getNamedType(typeAt(document, to));
      const known = isEnumType(named) ? named.getValues().map(({ name }) => name.toLowerCase()) : undefined;
      return (
        named !== undefined &&
        (choices ?? []).every((choice) => known?.includes(choice) ?? false) &&
        (read !== undefined || (choices === undefined) === (known === undefined))
      );
    };
    expect(parameters.filter((each) => !isKnown(each))).toEqual([]);
    expect(Object.keys(variables).filter((name) => typeAt(document, name) === null)).toEqual([]);
  },
);

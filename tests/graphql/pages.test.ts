import 'reflect-metadata';
import { existsSync, readFileSync } from 'node:fs';

import {
  getOperationAST,
  isInputType,
  isNonNullType,
  parse,
  specifiedRules,
  typeFromAST,
  validate,
  type OperationDefinitionNode,
} from 'graphql';
import { describe, expect, it } from 'vitest';

import { complexityOf } from '../../src/graphql/limits/complexity.js';
import { DEFAULT_LIMITS, MAX_PAGE } from '../../src/graphql/limits/limits.js';
import { createSchema } from '../../src/graphql/schema.js';
import { OperationCheck } from '../../src/graphql/server/operation-check.js';
import { leastValue } from './least-value.js';

const MANIFEST = new URL('../../web-admin/src/gql/trusted-documents.json', import.meta.url);
const documents = existsSync(MANIFEST)
  ? Object.values(JSON.parse(readFileSync(MANIFEST, 'utf8')) as Record<string, string>)
  : [];
const named = documents.map((text) => ({ name: /\b(?:query|mutation) (\w+)/.exec(text)?.[1] ?? text, text }));
const schema = createSchema();

describe("the pages' operations", () => {
  it('are generated (node scripts/generate-ui.mjs does it)', () => {
    expect(named).not.toEqual([]);
  });

  it.each(named)('$name is valid, and within every limit with pages of 100', ({ name, text }) => {
    const limits = DEFAULT_LIMITS;
    const document = parse(text, { maxTokens: limits.tokens });
    const operation = getOperationAST(document, name);
    const variables = variablesOf(operation!);
    const measured = { schema, query: document, operationName: name, variables };

    expect(validate(schema, document, specifiedRules)).toEqual([]);
    expect(() => new OperationCheck(limits).check(text, name)).not.toThrow();
    expect(complexityOf(measured, limits.complexity)).toBeLessThanOrEqual(limits.complexity);
  });
});

/** Pages as long as they can be, and the least of everything else. */
function variablesOf(operation: OperationDefinitionNode): Record<string, unknown> {
  return Object.fromEntries(
    (operation.variableDefinitions ?? []).flatMap(({ variable, type }) => {
      const name = variable.name.value;
      if (name === 'first' || name === 'last') return [[name, MAX_PAGE]];
      const found = typeFromAST(schema, type);
      return isInputType(found) && isNonNullType(found) ? [[name, leastValue(found)]] : [];
    }),
  );
}

import { isRecord } from '../../core/base/json/is-record.js';
import { toPlainJson } from '../../core/base/json/json-value.js';
import { parseJsonOrNull } from '../../core/base/json/strict-json.js';
import { graphqlError } from '../common/graphql-errors.js';

/** One operation as it was sent. */
export type OperationRequest = ReturnType<typeof readOperationRequest>;

/**
 * Reads `{id, operationName, variables}` or `{query, operationName, variables}`. Throws `BAD_REQUEST` for anything
 * else: lists of operations, two members of one name, more than 64 levels. Further members are ignored.
 */
export function readOperationRequest(body: Buffer) {
  const value = toPlainJson(parseJsonOrNull(body));
  if (value === null) throw bad('The body is null or not JSON, nested too deep, or names a member twice');
  if (Array.isArray(value)) throw bad('Send one operation at a time');
  if (!isRecord(value)) throw bad('The body must be a JSON object');
  const id = textOf(value, 'id');
  const query = textOf(value, 'query');
  if ((id === null) === (query === null)) throw bad('The body must have either id or query');
  const variables: unknown = value['variables'] ?? {};
  if (!isRecord(variables)) throw bad('variables must be an object');
  return { id, query, operationName: textOf(value, 'operationName'), variables };
}

function textOf(value: Readonly<Record<string, unknown>>, name: string): string | null {
  const text = value[name] ?? null;
  if (text === null || typeof text === 'string') return text;
  throw bad(`${name} must be a string`);
}

function bad(message: string): Error {
  return graphqlError('BAD_REQUEST', message);
}

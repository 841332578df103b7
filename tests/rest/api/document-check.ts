import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

import { ERROR_REASONS } from '../../../src/rest/api/errors.js';
import { openApiDocument } from '../../../src/rest/api/openapi.js';

interface Described {
  $ref?: string;
  [name: string]: unknown;
}

interface DocumentedHeader extends Described {
  required?: boolean;
  schema: Described;
}

interface DocumentedResponse extends Described {
  headers?: Record<string, Described>;
  content?: Record<string, { schema: Described }>;
}

export interface DocumentedParameter extends Described {
  name: string;
  in: string;
  required: boolean;
  schema: Described;
}

/** One method of one path. */
export interface DocumentedOperation extends Described {
  operationId: string;
  deprecated?: boolean;
  parameters: DocumentedParameter[];
  requestBody?: { content: Record<string, { schema: Described }> };
  responses: Record<string, Described>;
}

/** The committed document would do as well; this one needs no file to be current. */
export const DOCUMENT = openApiDocument('0') as unknown as {
  paths: Record<string, Record<string, DocumentedOperation> & { parameters: DocumentedParameter[] }>;
  components: Record<string, Record<string, Described>>;
};

const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
ajv.addSchema({ $id: 'document', components: DOCUMENT.components });
const compiled = new Map<string, ValidateFunction>();

/** Every operation with its method and path. */
export function operations(): { method: string; path: string; operation: DocumentedOperation }[] {
  return Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
    ['get', 'post', 'delete']
      .filter((method) => method in item)
      .map((method) => ({ method, path, operation: item[method]! })),
  );
}

/** The operation of an id. */
export function operationOf(id: string): DocumentedOperation {
  return operations().find(({ operation }) => operation.operationId === id)!.operation;
}

/** What is wrong with a value by a schema of the document; `''` when nothing is. */
export function faults(schema: Described, value: unknown): string {
  const key = JSON.stringify(schema);
  const here: unknown = JSON.parse(key.replaceAll('"#/components/', '"document#/components/'));
  const validate = compiled.get(key) ?? ajv.compile(here as Described);
  compiled.set(key, validate);
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

/** What an answer has that the operation does not say; empty when it matches. */
export async function differences(operation: DocumentedOperation, answer: Response): Promise<string[]> {
  const response: DocumentedResponse = resolve(operation.responses[answer.status] ?? {});
  if (response.description === undefined) return [`status ${answer.status} is not in the document`];
  return [
    ...headerFaults(response, answer),
    ...reasonFaults(answer),
    ...(await bodyFaults(response, answer)),
  ];
}

function reasonFaults({ status, headers }: Response): string[] {
  const reason = headers.get('error-reason');
  if (reason === null || ERROR_REASONS[reason]?.statuses.includes(status) === true) return [];
  return [`Error-Reason: ${reason} is not listed with ${status}`];
}

/** The same for an error that no operation speaks of: an unknown path, another method. */
export function errorDifferences(answer: Response): Promise<string[]> {
  const responses = { [answer.status]: { $ref: `#/components/responses/Error${answer.status}` } };
  return differences({ operationId: '', parameters: [], responses }, answer);
}

function headerFaults(response: DocumentedResponse, answer: Response): string[] {
  return Object.entries(response.headers ?? {}).flatMap(([name, described]) => {
    const { required, schema } = resolve(described) as DocumentedHeader;
    const value = answer.headers.get(name);
    if (value === null) return required === true ? [`${name} is missing`] : [];
    const known = resolve(schema)['x-extensible-enum'] as string[] | undefined;
    if (known !== undefined && !known.includes(value)) return [`${name}: ${value} is not listed`];
    const fault = faults(schema, schema['type'] === 'integer' ? Number(value) : value);
    return fault === '' ? [] : [`${name}: ${fault}`];
  });
}

async function bodyFaults({ content = {} }: DocumentedResponse, answer: Response): Promise<string[]> {
  const text = await answer.text();
  const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
  const described = content[type] ?? content['*/*'];
  if (described === undefined) return type === '' && text === '' ? [] : [`a body of type ${type}`];
  const fault = faults(described.schema, type === 'application/json' ? JSON.parse(text) : text);
  return fault === '' ? [] : [`body: ${fault}`];
}

function resolve(described: Described): Described {
  const { $ref } = described;
  if ($ref === undefined) return described;
  const [, , kind = '', name = ''] = $ref.split('/');
  return DOCUMENT.components[kind]![name]!;
}

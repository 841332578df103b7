import { ERROR_REASONS, ERROR_ROWS } from '../../src/rest/api/errors.js';
import type { OpenApiDocument } from '../../src/rest/api/openapi.js';
import { code, table } from './markdown.js';
import { find, shownOperations, typeWords, type ShownOperation, type ShownSchema } from './openapi-reader.js';

const CLIENT_TAGS = ['Previews and media', 'Keys', 'Service'];

/** The tables of `docs/API.md`. */
export function apiRegions(document: OpenApiDocument): Record<string, string> {
  const operations = shownOperations(document).filter(({ tag }) => CLIENT_TAGS.includes(tag));
  return {
    endpoints: table(['request', 'who', 'answer'], operations.map(endpoint)),
    parameters: parameters(operations),
    preview: preview(find(document, '#/components/schemas/Preview') as ShownSchema),
    errors: table(
      ['status', '`errcode`', 'meaning'],
      ERROR_ROWS.map(({ statuses, errcodes, meaning }) => [
        statuses.join(', '),
        errcodes.map(code).join(', '),
        meaning,
      ]),
    ),
    reasons: table(
      ['value', 'status', 'meaning'],
      Object.entries(ERROR_REASONS).map(([name, { statuses, meaning }]) => [code(name), statuses.join(', '), meaning]),
    ),
  };
}

function endpoint({ method, path, deprecated, summary, security, parameters: all }: ShownOperation): string[] {
  const query = all.filter(({ in: place, required }) => place === 'query' && required).map(({ name }) => `${name}=…`);
  const request = code(`${method} ${path}${query.length === 0 ? '' : `?${query.join('&')}`}`);
  return [deprecated ? `${request}, deprecated` : request, whoMayAsk(security), summary];
}

/** By the security of an operation; an empty requirement means that a setting decides. */
export function whoMayAsk(security: readonly Record<string, unknown>[]): string {
  const names = new Set(security.flatMap((each) => Object.keys(each)));
  const optional = security.some((each) => Object.keys(each).length === 0);
  if (names.has('accessToken')) return optional ? 'a user, by default' : 'a user';
  if (names.has('metricsToken')) return 'everybody, by default';
  return names.size > 0 ? 'an operator' : 'everybody';
}

function parameters(operations: readonly ShownOperation[]): string {
  const users = new Map<string, { paths: Set<string>; row: string[] }>();
  for (const { path, parameters: all } of operations)
    for (const { name, in: place, required, description, schema } of all) {
      if (place !== 'query') continue;
      const key = `${name} ${description}`;
      const usual = schema.default === undefined ? '' : `; without it \`${JSON.stringify(schema.default).replaceAll('"', '')}\``;
      const row = [`${typeWords(schema)}${required ? ', required' : ''}`, `${description}${usual}`];
      const known = users.get(key) ?? { paths: new Set<string>(), row: [code(name), ...row] };
      known.paths.add(shortName(path));
      users.set(key, known);
    }
  return table(
    ['parameter', 'of', 'form', 'meaning'],
    [...users.values()].map(({ paths, row: [name = '', form = '', meaning = ''] }) => [
      name,
      [...paths].join(', '),
      form,
      meaning,
    ]),
  );
}

function shortName(path: string): string {
  return path.includes('key/v2') ? 'key query' : (/preview|download|thumbnail/.exec(path)?.[0] ?? path);
}

function preview({ properties = {}, additionalProperties }: ShownSchema): string {
  const rows = Object.entries(properties).map(([name, schema]) => [
    code(name),
    typeWords(schema),
    schema.description ?? '',
  ]);
  const others = additionalProperties ?? {};
  return table(['member', 'type', 'meaning'], [...rows, ['others', typeWords(others), others.description ?? '']]);
}

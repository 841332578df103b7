import { parseConfig } from '../../src/config/parse-config.js';
import { formatDuration, formatSize } from '../../src/config/kinds/units.js';
import type { Config } from '../../src/config/schema.js';
import { HOUR_MS } from '../../src/core/base/clock.js';
import { MAX_REDIRECTS } from '../../src/core/preview/download/redirect-target.js';
import { MAX_BYTES, MAX_PROPERTIES, MAX_VALUE_LENGTH } from '../../src/core/preview/extract/open-graph.js';
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
    limits: table(['what', 'how much'], limits(defaults())),
    reasons: table(
      ['value', 'status', 'meaning'],
      Object.entries(ERROR_REASONS).map(([name, { statuses, meaning }]) => [code(name), statuses.join(', '), meaning]),
    ),
  };
}

/** What is in effect without any setting. */
function defaults(): Config {
  const parsed = parseConfig({ server_name: 'example.org' });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.config;
}

function limits({ previews, keys, server, max_spider_size: spiderBytes }: Config): string[][] {
  const { burst, interval } = previews.rate_limit;
  const rate = burst === 0 ? 'no limit' : `${burst}, and one more after each ${formatDuration(interval)}`;
  const [servers, each, all] = [keys.max_servers_per_query, keys.max_key_ids_per_server, keys.max_key_ids_per_query];
  return [
    ['previews of one user', `${rate} (${code('previews.rate_limit')}); where there is one, what is known already does not count`],
    ['a preview', `${MAX_PROPERTIES} members, ${bytes(MAX_BYTES)}; a member ${count(MAX_VALUE_LENGTH)} characters`],
    ['a page or image', `${bytes(spiderBytes)} (${code('max_spider_size')}); ${MAX_REDIRECTS} redirects`],
    ['a preview is kept', `${formatDuration(HOUR_MS)}, or as long as its oEmbed answer says`],
    ['its media is kept', `${formatDuration(previews.media_retention)} (${code('previews.media_retention')})`],
    ['a body of a key query', `${bytes(server.max_body_size)} (${code('server.max_body_size')})`],
    ['a key query', `${count(servers)} servers, ${count(each)} key IDs each, ${count(all)} in all (${code('keys.max_…')})`],
    ['the answer to one', `${bytes(keys.max_answer_size)} (${code('keys.max_answer_size')})`],
  ];
}

const count = (value: number): string => value.toLocaleString('en');
const bytes = (value: number): string => formatSize(value).replace('K', ' KiB').replace('M', ' MiB');

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

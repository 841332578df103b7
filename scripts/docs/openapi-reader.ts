import type { OpenApiDocument } from '../../src/rest/api/openapi.js';

/** A schema as the pages show it. */
export interface ShownSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  default?: unknown;
  properties?: Record<string, ShownSchema>;
  additionalProperties?: ShownSchema;
  [keyword: string]: unknown;
}

/** A parameter as the pages show it. */
export interface ShownParameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: ShownSchema;
}

/** One method of one path. */
export interface ShownOperation {
  method: string;
  /** With `{prefix}` or `{base_path}` in front where one belongs there. */
  path: string;
  /** Other paths that mean the same. */
  aliases: string[];
  tag: string;
  summary: string;
  description?: string;
  deprecated: boolean;
  security: Record<string, unknown>[];
  parameters: ShownParameter[];
  body: { type: string; schema: ShownSchema } | null;
  responses: { status: string; description: string; types: string[] }[];
}

interface RawOperation {
  operationId: string;
  tags: [string];
  summary: string;
  description?: string;
  deprecated?: boolean;
  security: Record<string, unknown>[];
  parameters: ShownParameter[];
  requestBody?: { content: Record<string, { schema: ShownSchema }> };
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, unknown> }>;
}

const METHODS = ['get', 'post', 'delete'];

/** Every operation once; the folders under which it is served alike are its aliases. */
export function shownOperations(document: OpenApiDocument): ShownOperation[] {
  const shown = new Map<string, ShownOperation>();
  for (const [path, item] of Object.entries(document.paths)) {
    const full = `${baseOf(item)}${path}`;
    for (const method of METHODS.filter((each) => each in item)) {
      const raw = item[method] as RawOperation;
      const id = raw.operationId.split('_', 1)[0] ?? '';
      const known = shown.get(id);
      if (known === undefined) shown.set(id, toShown(raw, { method, path: full, item, document }));
      else known.aliases.push(full);
    }
  }
  return [...shown.values()];
}

function baseOf(item: { servers?: unknown }): string {
  const [server] = (item.servers ?? []) as { url: string }[];
  if (server === undefined) return '{prefix}';
  return server.url.includes('base_path') ? '{base_path}' : '';
}

interface Place {
  method: string;
  path: string;
  item: Readonly<Record<string, unknown>>;
  document: OpenApiDocument;
}

function toShown(raw: RawOperation, { method, path, item, document }: Place): ShownOperation {
  const { requestBody, tags, summary, description, security } = raw;
  const [body] = Object.entries(requestBody?.content ?? {});
  return {
    method: method.toUpperCase(),
    path,
    aliases: [],
    tag: tags[0],
    summary,
    ...(description === undefined ? {} : { description }),
    deprecated: raw.deprecated === true,
    security,
    parameters: [...(item['parameters'] as ShownParameter[]), ...raw.parameters],
    body: body === undefined ? null : { type: body[0], schema: body[1].schema },
    responses: Object.entries(raw.responses).map(([status, response]) => {
      const { description: words = '', content = {} } =
        response.$ref === undefined ? response : (find(document, response.$ref) as typeof response);
      return { status, description: words, types: Object.keys(content) };
    }),
  };
}

/** What a reference within the document leads to. */
export function find(document: OpenApiDocument, reference: string): unknown {
  return reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], document);
}

/** The form of a value in a few words. */
export function typeWords(schema: ShownSchema): string {
  const { $ref, type, enum: choices } = schema;
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? '';
  if (choices !== undefined) return choices.map((choice) => `\`${String(choice)}\``).join(', ');
  return [type ?? 'any'].flat().join(' or ');
}

import type { OpenApiDocument } from '../../src/rest/api/openapi.js';
import { whoMayAsk } from './api-regions.js';
import { code, table } from './markdown.js';
import { shownOperations, typeWords, type ShownOperation, type ShownSchema } from './openapi-reader.js';

/** `docs/reference/rest.md`: every operation of the OpenAPI document. */
export function restPage(document: OpenApiDocument): string {
  const { description } = document['info'] as { description: string };
  const operations = shownOperations(document);
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return [
    '# REST',
    'Made from [openapi.json](../openapi.json) (OpenAPI 3.1) by `npm run docs`, which is made from the table of routes that the server serves. [API](../API.md) explains it for those who write a client, with examples.',
    '`{prefix}` is `/_svc`, or `/_matrix` with `dialect: matrix`; `{base_path}` is `admin.base_path`, `/admin` by default.',
    ...description.split('\n'),
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      ...operations.filter((each) => each.tag === tag).flatMap((operation) => section(operation)),
    ]),
    '## Forms',
    ...schemas(document),
  ].join('\n\n').concat('\n');
}

function section(operation: ShownOperation): string[] {
  const { method, path, summary, description, aliases, parameters, body, responses, deprecated } = operation;
  const who = `For ${whoMayAsk(operation.security)}.`;
  const lines = [
    `### ${method} ${path}`,
    [`${upper(summary)}.`, description, who, deprecated ? 'Deprecated.' : undefined].filter(Boolean).join(' '),
  ];
  if (aliases.length > 0) lines.push(`Also ${aliases.map(code).join(', ')}.`);
  if (parameters.length > 0)
    lines.push(
      table(
        ['parameter', 'in', 'form', 'meaning'],
        parameters.map(({ name, in: place, required, schema, description: words }) => [
          code(name),
          place,
          `${typeWords(schema)}${required ? ', required' : ''}`,
          words,
        ]),
      ),
    );
  if (body !== null) lines.push(`Body, ${code(body.type)}:`, schemaBlock(body.schema));
  lines.push(
    table(
      ['status', 'type', 'answer'],
      responses.map(({ status, types, description: words }) => [status, types.map(code).join(', '), words]),
    ),
  );
  return lines;
}

function schemas(document: OpenApiDocument): string[] {
  return Object.entries(document.components.schemas).flatMap(([name, schema]) => [
    `### ${name}`,
    schemaBlock(schema),
  ]);
}

function schemaBlock(schema: ShownSchema): string {
  return `\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\``;
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { openApiText } from '../../../scripts/docs/openapi-text.js';
import { AppContext } from '../../../src/composition/context.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { Service } from '../../../src/server/service.js';
import { sendRaw } from '../../support/clients/raw-http.js';
import { K1 } from '../../support/origins/record-recipes.js';
import { sourcesBelow, readText } from '../../docs/repository-files.js';
import {
  DOCUMENT,
  differences,
  errorDifferences,
  faults,
  operationOf,
  operations,
  type DocumentedOperation,
} from './document-check.js';
import { startDocumentedServer, type DocumentedServer } from './documented-server.js';
import { bearer, beyond, rawFor, samples, type Sample } from './samples.js';
import { UNSEEN } from './unseen-answers.js';

let server: DocumentedServer;

beforeAll(async () => {
  server = await startDocumentedServer();
});
afterAll(() => server.remove());

/** Without the folder in its id: all folders are asked alike. */
const plainId = ({ operationId }: DocumentedOperation) => operationId.split('_', 1)[0]!;

function baseOf(tag: string, path: string): string {
  if (tag !== 'Operators') return tag === 'Service' ? '' : '/_svc';
  return path === '/' ? '' : '/admin';
}

function targetOf(operation: DocumentedOperation, path: string, sample: Sample): string {
  const [tag = ''] = operation['tags'] as string[];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => sample.path?.[name] ?? 'a'.repeat(64));
  const query = new URLSearchParams(sample.query ?? {}).toString();
  return `${baseOf(tag, path)}${filled}${query === '' ? '' : `?${query}`}`;
}

function send(
  operation: DocumentedOperation,
  path: string,
  sample: Sample,
  base = server.kit.service.url,
): Promise<Response> {
  return fetch(`${base}${targetOf(operation, path, sample)}`, { redirect: 'manual', ...sample.init });
}

/** A server that has not opened its store. */
async function startingServer(): Promise<Service> {
  const { config, files } = server.kit.service.context;
  const logger = createLogger({ level: 'silent' });
  return Service.start(await AppContext.create({ config, files }, { logger, uiFolder: server.uiFolder }));
}

it('is committed as the routes have it (npm run docs)', () => {
  expect(readText('docs/openapi.json')).toBe(openApiText());
});

it('gives every operation a name of its own', () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

it('has every route: none is served that does not stand in the table', () => {
  const others = sourcesBelow('src/rest', 'src/server')
    .filter((name) => name !== 'src/rest/api/serve-route.ts')
    .filter((name) =>
      /\b(?:router|mounted|app)\.(?:get|post|put|patch|delete|options|all|route)\(/.test(readText(name)),
    );
  expect(others).toEqual([]);
});

describe('of the running server', () => {
  it('every path answers, and every answer is one that the document has', async () => {
    const found: string[] = [];
    const seen = new Set<string>();
    const note = async (path: string, operation: DocumentedOperation, answer: Response): Promise<void> => {
      seen.add(`${plainId(operation)} ${answer.status}`);
      if (answer.headers.get('error-reason') === 'unrecognized') found.push(`${path} is not served`);
      const faulty = await differences(operation, answer);
      found.push(...faulty.map((fault) => `${path} ${answer.status}: ${fault}`));
    };
    const askAll = async (samplesOf: Record<string, Sample[]>, base?: string): Promise<void> => {
      for (const { path, operation } of operations())
        for (const sample of samplesOf[plainId(operation)] ?? [])
          await note(path, operation, await send(operation, path, sample, base));
    };
    const askTogether = async (samplesOf: Record<string, Sample[]>): Promise<void> => {
      for (const { path, operation } of operations()) {
        const asked = samplesOf[plainId(operation)] ?? [];
        const answers = await Promise.all(asked.map((sample) => send(operation, path, sample)));
        for (const answer of answers) await note(path, operation, answer);
      }
    };
    const usual = await samples(server);
    await askAll(usual);
    const starting = await startingServer();
    const first = Object.entries(usual).map(([id, all]) => [id, all.slice(0, 1)] as const);
    onTestFinished(() => starting.stop());
    await askAll(Object.fromEntries(first), starting.addresses()[0]!.url);
    for (const { method, path, operation } of operations())
      for (const text of rawFor(
        method.toUpperCase(),
        targetOf(operation, path, usual[plainId(operation)]![0]!),
      )) {
        const { status, headers, body } = await sendRaw(server.kit.service.url, text);
        await note(path, operation, new Response(body, { status, headers: [...headers] }));
      }
    await askTogether(await beyond(server));

    expect(found).toEqual([]);
    const promised = operations().flatMap(({ operation }) =>
      Object.keys(operation.responses).map((status) => `${plainId(operation)} ${status}`),
    );
    const unseen = [...new Set(promised)].filter((each) => !seen.has(each));
    expect(unseen.filter((each) => !UNSEEN.some(({ answers }) => answers.test(each)))).toEqual([]);
    expect(UNSEEN.filter(({ answers }) => !unseen.some((each) => answers.test(each)))).toEqual([]);
  });

  it.each(['/nowhere', '/_svc/key/v2/other', '/_svc/media/v3/other'])(
    '%s is an error of the document',
    async (path) => {
      const answer = await fetch(`${server.kit.service.url}${path}`);
      expect(answer.status).toBe(404);
      expect(await errorDifferences(answer)).toEqual([]);
    },
  );

  it('another method than those of a path is 405 with those that it has', async () => {
    const found: string[] = [];
    for (const { path, operation } of operations()) {
      const answer = await send(operation, path, {
        init: { method: 'PATCH', headers: { 'Sec-Fetch-Site': 'same-origin' } },
      });
      const methods = Object.keys(DOCUMENT.paths[path]!);
      const allowed = answer.headers.get('allow')?.toLowerCase().split(', ') ?? [];
      const missing = ['get', 'post', 'delete'].filter(
        (each) => methods.includes(each) !== allowed.includes(each),
      );
      // Paths that fit into one another share their methods.
      if (answer.status !== 405 || (missing.length > 0 && path !== '/key/v2/query'))
        found.push(`${path}: ${answer.status} ${missing.join()}`);
    }
    expect(found).toEqual([]);
  });

  const VALUES = [
    '',
    '0',
    '1',
    '-1',
    '007',
    '999999999',
    '1000000000',
    '1.5',
    '1e3',
    ' 1',
    'scale',
    'crop',
    'csv',
    'jsonl',
    'CSV',
  ];
  it.each([
    ['getPreview', 'ts'],
    ['getThumbnail', 'width'],
    ['getThumbnail', 'height'],
    ['getThumbnail', 'method'],
    ['queryKey', 'minimum_valid_until_ts'],
    ['exportAudit', 'format'],
  ])('%s takes for %s what the document says, and nothing else', async (id, name) => {
    const { path, operation } = operations().find((each) => each.operation.operationId === id)!;
    const { schema } = operation.parameters.find((each) => each.name === name)!;
    const usual = { url: server.kit.url('/page'), width: '32', height: '32' };
    const init = id === 'exportAudit' ? { headers: server.admin.headers } : bearer(server.kit.token);
    const ours = {
      serverName: id === 'queryKey' ? server.remote.serverName : 'notary.test',
      mediaId: server.mediaId,
      keyId: K1.keyId,
    };
    const taken: string[] = [];
    for (const value of VALUES) {
      const answer = await send(operation, path, { path: ours, query: { ...usual, [name]: value }, init });
      if (answer.status !== 400) taken.push(value);
    }
    const isNumber = schema['type'] === 'integer';
    const valid = VALUES.filter((value) =>
      isNumber ? /^-?\d+$/.test(value) && faults(schema, Number(value)) === '' : faults(schema, value) === '',
    );
    expect(taken).toEqual(valid);
    expect([valid.length > 0, valid.length < VALUES.length]).toEqual([true, true]);
  });

  it.each([
    [{ server_keys: {} }],
    [{ server_keys: { a: {} } }],
    [{ server_keys: { a: { 'ed25519:x': {} } } }],
    [{ server_keys: { a: { 'ed25519:x': { minimum_valid_until_ts: null } } } }],
    [{ server_keys: { a: { 'ed25519:x': { minimum_valid_until_ts: 1 } } }, more: 1 }],
    [{ server_keys: { a: { 'ed25519:x': { minimum_valid_until_ts: 1.5 } } } }],
    [{ server_keys: { a: { 'ed25519:x': { minimum_valid_until_ts: '1' } } } }],
    [{ server_keys: { a: { 'ed25519:x': 1 } } }],
    [{ server_keys: { a: [] } }],
    [{ server_keys: [] }],
    [{}],
    [[]],
    [{ server_keys: { a: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`ed25519:${n}`, {}])) } }],
    [{ server_keys: Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`s${n}.invalid`, {}])) }],
  ])('a key query is read exactly when the document lets it pass (%#)', async (body) => {
    const operation = operationOf('queryKeys');
    const { schema } = operation.requestBody!.content['application/json']!;
    const text = JSON.stringify(body).replaceAll('"a"', '"notary.test"');
    const { status } = await fetch(`${server.kit.service.url}/_svc/key/v2/query`, {
      method: 'POST',
      body: text,
    });
    expect(status === 200).toBe(faults(schema, body) === '');
  });
});

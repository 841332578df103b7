import { request as httpRequest } from 'node:http';

/** A request as the cases describe it; `body` only for POST. */
export interface BenchRequest {
  method: 'GET' | 'POST';
  path: string;
  body: string | null;
  /** Authorization header; none when missing. */
  authorization?: string;
  /** A number in the body that is another each time under load; the body is the same each time when missing. */
  varying?: string;
}

/** An answer: raw headers as a flat list, in the order they came. */
export interface BenchAnswer {
  status: number;
  headers: string[];
  body: Buffer;
}

const QUERY_PATH = '/_svc/key/v2/query';

/** All keys of a server. */
export function allKeys(serverName: string): BenchRequest {
  return { method: 'GET', path: `${QUERY_PATH}/${serverName}`, body: null };
}

/** The deprecated form with the key id in the path. */
export function oneKey(serverName: string, keyId: string): BenchRequest {
  return { method: 'GET', path: `${QUERY_PATH}/${serverName}/${encodeURIComponent(keyId)}`, body: null };
}

/** A batch as peers send it: one key id and a minimum for each server. */
export function batch(serverNames: readonly string[], keyId: string, minimumTs: number): BenchRequest {
  const criteria = { [keyId]: { minimum_valid_until_ts: minimumTs } };
  const servers = Object.fromEntries(serverNames.map((name) => [name, criteria]));
  return { method: 'POST', path: QUERY_PATH, body: JSON.stringify({ server_keys: servers }) };
}

/** The bytes of a request for a connection that stays open. */
export function bytesOf({ method, path, body, authorization }: BenchRequest): Buffer {
  const credentials = authorization === undefined ? '' : `Authorization: ${authorization}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n${credentials}`;
  if (body === null) return Buffer.from(`${head}\r\n`);
  const length = Buffer.byteLength(body);
  return Buffer.from(`${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`);
}

/** Sends one request on a connection of its own. */
export function send(
  port: number,
  { method, path, body, authorization }: BenchRequest,
): Promise<BenchAnswer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      ...(authorization === undefined ? {} : { Authorization: authorization }),
    };
    const request = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent: false });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.rawHeaders,
          body: Buffer.concat(chunks),
        }),
      );
    });
    request.end(body ?? undefined);
  });
}

/** Records in an answer; throws when it is no answer to a key query. */
export function countRecords(answer: BenchAnswer): number {
  const parsed = JSON.parse(answer.body.toString('utf8')) as { server_keys?: unknown[] };
  if (answer.status !== 200 || parsed.server_keys === undefined) {
    throw new Error(`no key answer: ${answer.status} ${answer.body.toString('utf8').slice(0, 200)}`);
  }
  return parsed.server_keys.length;
}

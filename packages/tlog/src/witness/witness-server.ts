import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import type { CheckpointWitness, WitnessFault } from './checkpoint-witness.js';

/** Room for a proof, and for sixteen of the largest signatures that notes may have. */
const MAX_OFFER_BYTES = 128 * 1024;
const MAX_CONNECTIONS = 256;
const REQUEST_TIMEOUT_MS = 10_000;
const TEXT = 'text/plain; charset=utf-8';
const COSIGNED = /^\/([0-9a-f]{64})\/checkpoint$/;

const REFUSALS: Readonly<Record<WitnessFault, [number, string]>> = {
  malformed: [400, 'The body is no old size, proof and checkpoint'],
  size_below_old: [400, 'The old size is above that of the checkpoint'],
  untrusted: [403, 'The checkpoint bears no valid signature of a key this witness knows for its log'],
  unknown_origin: [404, 'This witness does not know a log of this origin'],
  inconsistent: [422, 'The proof does not lead from the last cosigned checkpoint to this one'],
  split_view: [422, 'A checkpoint of this size with another root has been cosigned'],
};

interface Answer {
  status: number;
  text: string;
  type?: string;
}

/** Serves a witness (C2SP tlog-witness) over HTTP; TLS and limits per client are for a reverse proxy in front. */
export async function serveWitness(
  witness: CheckpointWitness,
  address: { host: string; port: number },
  onError: (error: unknown) => void,
): Promise<Server> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    answer(witness, request)
      .catch((error: unknown) => {
        if (!request.destroyed || request.complete) onError(error);
        return { status: 500, text: 'The witness could not store its answer' };
      })
      .then((found) => send(response, found))
      .catch(onError);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(address);
  await once(server, 'listening');
  return server;
}

async function answer(witness: CheckpointWitness, request: IncomingMessage): Promise<Answer> {
  const path = (request.url ?? '').replace(/\?.*$/, '');
  const [, originSha256] = COSIGNED.exec(path) ?? [];
  if (originSha256 !== undefined && (request.method === 'GET' || request.method === 'HEAD')) {
    const checkpoint = await witness.findCheckpoint(originSha256);
    return checkpoint === null ? notFound() : { status: 200, text: checkpoint };
  }
  if (path !== '/add-checkpoint') return notFound();
  if (request.method !== 'POST') return { status: 405, text: 'Send POST' };
  const body = await readBody(request);
  if (body === null) return { status: 413, text: `The body has more than ${MAX_OFFER_BYTES} bytes` };
  const verdict = await witness.addCheckpoint(body);
  if (verdict.outcome === 'cosigned') return { status: 200, text: verdict.line };
  if (verdict.outcome === 'stale')
    return { status: 409, text: `${verdict.size}\n`, type: 'text/x.tlog.size' };
  const [status, text] = REFUSALS[verdict.outcome];
  return { status, text };
}

function notFound(): Answer {
  return { status: 404, text: 'Nothing is here' };
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_OFFER_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, { status, text, type = TEXT }: Answer): void {
  if (status === 413) response.setHeader('Connection', 'close');
  const cache = status === 200 && response.req.method !== 'POST' ? 'public, max-age=1' : 'no-store';
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': cache });
  response.end(text.endsWith('\n') ? text : `${text}\n`);
}

import { serveJobs } from '../support/child.js';
import { KeepAliveConnection } from '../support/keep-alive-connection.js';

/** One slice of load: the same request again and again over each connection. */
export interface LoadJob {
  port: number;
  /** The whole request, head and body. */
  request: Uint8Array;
  connections: number;
  durationMs: number;
  /** A number in the request whose last digits are others each time, wherever it stands; `null` repeats the bytes. */
  varying: string | null;
}

export interface LoadOutcome {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

const VARYING_DIGITS = 7;
/** Goes on from job to job, so that no request comes twice. */
let count = 0;

/** A new request at each call: the last digits of the number are a count. */
function varied(bytes: Buffer, number: string): () => Buffer {
  const ends: number[] = [];
  for (let at = bytes.indexOf(number); at !== -1; at = bytes.indexOf(number, at + 1)) {
    ends.push(at + number.length);
  }
  return () => {
    const request = Buffer.from(bytes);
    count += 1;
    const digits = String(count % 10 ** VARYING_DIGITS).padStart(VARYING_DIGITS, '0');
    for (const end of ends) request.write(digits, end - VARYING_DIGITS, 'latin1');
    return request;
  };
}

serveJobs(async ({ port, request, connections, durationMs, varying }: LoadJob): Promise<LoadOutcome> => {
  const bytes = Buffer.from(request);
  const open = await Promise.all(Array.from({ length: connections }, () => KeepAliveConnection.open(port)));
  const startedMs = performance.now();
  const untilMs = startedMs + durationMs;
  const next = varying === null ? () => bytes : varied(bytes, varying);
  const runs = open.map((connection) => connection.repeat(next, untilMs));
  const latencies = (await Promise.all(runs)).flat();
  const seconds = (performance.now() - startedMs) / 1000;
  for (const connection of open) connection.close();
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
  return { requests: latencies.length, seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
});

import { serveJobs } from '../support/child.js';
import { KeepAliveConnection } from '../support/keep-alive-connection.js';

/** One slice of load: the same request again and again over each connection. */
export interface LoadJob {
  port: number;
  /** The whole request, head and body. */
  request: Uint8Array;
  connections: number;
  durationMs: number;
}

export interface LoadOutcome {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

serveJobs(async ({ port, request, connections, durationMs }: LoadJob): Promise<LoadOutcome> => {
  const bytes = Buffer.from(request);
  const open = await Promise.all(Array.from({ length: connections }, () => KeepAliveConnection.open(port)));
  const startedMs = performance.now();
  const untilMs = startedMs + durationMs;
  const latencies = (await Promise.all(open.map((connection) => connection.repeat(bytes, untilMs)))).flat();
  const seconds = (performance.now() - startedMs) / 1000;
  for (const connection of open) connection.close();
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
  return { requests: latencies.length, seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
});

import { Agent, get } from 'node:http';

import { serveJobs } from '../support/child.js';

/** A request sent at even intervals, whether or not the last one is answered. */
export interface ProbeJob {
  port: number;
  path: string;
  intervalMs: number;
  durationMs: number;
}

export interface ProbeOutcome {
  requests: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

serveJobs(async ({ port, path, intervalMs, durationMs }: ProbeJob): Promise<ProbeOutcome> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const running: Promise<number>[] = [];
  const untilMs = performance.now() + durationMs;
  for (let dueMs = performance.now(); dueMs < untilMs; dueMs += intervalMs) {
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    running.push(latencyOf(port, path, agent));
  }
  const latencies = (await Promise.all(running)).sort((a, b) => a - b);
  agent.destroy();
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
  return { requests: latencies.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
});

function latencyOf(port: number, path: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sentMs = performance.now();
    const request = get({ port, host: '127.0.0.1', path, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path} was answered with ${response.statusCode}`));
      response.on('error', reject);
      response.on('end', () => resolve(performance.now() - sentMs));
      response.resume();
    });
    request.on('error', reject);
  });
}

import { Agent, get } from 'node:http';

import { serveJobs } from '../support/child.js';

/** Previews to ask for, a bounded number at a time. */
export interface PreviewLoadJob {
  port: number;
  authorization: string;
  /** Paths with query, asked in this order. */
  paths: string[];
  atOnce: number;
  /** Begins no more after this time, ms; all of them when `null`. */
  durationMs: number | null;
}

export interface PreviewLoadOutcome {
  answered: number;
  /** Answers that are not 200. */
  failed: number;
  /** Answers that name an image. */
  images: number;
  /** Bytes of the answers. */
  bytes: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

interface Answer {
  status: number;
  body: string;
}

serveJobs(async (job: PreviewLoadJob): Promise<PreviewLoadOutcome> => {
  const agent = new Agent({ keepAlive: true, maxSockets: job.atOnce });
  const latencies: number[] = [];
  const outcome = { answered: 0, failed: 0, images: 0, bytes: 0 };
  const startedMs = performance.now();
  let next = 0;
  const isOver = () => job.durationMs !== null && performance.now() - startedMs >= job.durationMs;
  const askOn = async (): Promise<void> => {
    while (next < job.paths.length && !isOver()) {
      const path = job.paths[next] ?? '';
      next += 1;
      const sentMs = performance.now();
      const { status, body } = await ask(job, path, agent);
      latencies.push(performance.now() - sentMs);
      outcome.answered += 1;
      outcome.bytes += body.length;
      if (status !== 200) outcome.failed += 1;
      if (body.includes('"og:image"')) outcome.images += 1;
    }
  };
  await Promise.all(Array.from({ length: job.atOnce }, askOn));
  const seconds = (performance.now() - startedMs) / 1000;
  agent.destroy();
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
  return { ...outcome, seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
});

function ask({ port, authorization }: PreviewLoadJob, path: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path, agent, headers: { Authorization: authorization } };
    const request = get(options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on('error', reject);
  });
}

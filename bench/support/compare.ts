import type { BareAnswer } from '../processes/bare-server.js';
import type { LoadJob, LoadOutcome } from '../processes/load.js';
import type { Worker } from './child.js';
import { cpuMsOf } from './process-usage.js';
import { bytesOf, send, type BenchRequest } from './requests.js';

/** The two servers and what puts load on them. */
export interface Contestants {
  vidimus: { pid: number; port: number };
  bare: Worker<BareAnswer, number>;
  load: Worker<LoadJob, LoadOutcome>;
}

/** One server under one kind of request. */
export interface Throughput {
  perSecond: number;
  /** CPU of the server process for one request; `null` where /proc is missing. */
  cpuMs: number | null;
  p50Ms: number;
  p99Ms: number;
}

export interface Comparison {
  vidimus: Throughput;
  bare: Throughput;
  /** Rates of each pair of slices divided, the median of them. */
  ratio: number;
}

const CONNECTIONS = 24;
const WARM_UP_MS = 1000;
const SLICE_MS = 900;
const ROUNDS = 5;

/** Headers that Node adds by itself, and the one that differs from answer to answer. */
const NOT_REPEATED = new Set(['date', 'connection', 'keep-alive']);

/** Loads both servers in turns, so that what else the machine does hits both alike. */
export async function compare(
  contestants: Contestants,
  request: BenchRequest,
  bareParsesBody: boolean,
): Promise<Comparison> {
  const { vidimus, bare } = contestants;
  const barePort = await teachBare(contestants, request, bareParsesBody);
  const rounds: { vidimus: Slice; bare: Slice }[] = [];
  await slice(contestants.load, { ...bare, port: barePort }, { request, durationMs: WARM_UP_MS });
  await slice(contestants.load, vidimus, { request, durationMs: WARM_UP_MS });
  for (let round = 0; round < ROUNDS; round += 1) {
    const job = { request, durationMs: SLICE_MS };
    const ofBare = await slice(contestants.load, { ...bare, port: barePort }, job);
    rounds.push({ bare: ofBare, vidimus: await slice(contestants.load, vidimus, job) });
  }
  return {
    vidimus: summary(rounds.map((round) => round.vidimus)),
    bare: summary(rounds.map((round) => round.bare)),
    ratio: median(rounds.map((round) => rateOf(round.vidimus) / rateOf(round.bare))),
  };
}

/** Has the bare server answer the request with the very bytes that Vidimus answers it with; its port. */
export async function teachBare(
  { vidimus, bare }: Omit<Contestants, 'load'>,
  request: BenchRequest,
  parsesBody: boolean,
): Promise<number> {
  const { status, headers, body } = await send(vidimus.port, request);
  if (status !== 200) throw new Error(`${request.method} ${request.path} was answered with ${status}`);
  const repeated: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name = '', value = ''] = headers.slice(i, i + 2);
    if (!NOT_REPEATED.has(name.toLowerCase())) repeated.push(name, value);
  }
  const { method, path, authorization = null } = request;
  return bare.run({ method, path, headers: repeated, body, parsesBody, authorization });
}

interface Slice extends LoadOutcome {
  cpuMs: number | null;
}

/** Loads one server for a while. */
export async function slice(
  load: Contestants['load'],
  server: { pid: number; port: number },
  { request, durationMs }: { request: BenchRequest; durationMs: number },
): Promise<Slice> {
  const before = await cpuMsOf(server.pid);
  const { varying = null } = request;
  const bytes = bytesOf(request);
  const job = { port: server.port, request: bytes, connections: CONNECTIONS, durationMs, varying };
  const outcome = await load.run(job);
  const after = await cpuMsOf(server.pid);
  return { ...outcome, cpuMs: before === null || after === null ? null : after - before };
}

function summary(slices: readonly Slice[]): Throughput {
  const requests = slices.reduce((sum, { requests }) => sum + requests, 0);
  const cpu = slices.every(({ cpuMs }) => cpuMs !== null)
    ? slices.reduce((sum, { cpuMs }) => sum + (cpuMs ?? 0), 0)
    : null;
  return {
    perSecond: median(slices.map(rateOf)),
    cpuMs: cpu === null ? null : cpu / requests,
    p50Ms: median(slices.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(slices.map(({ p99Ms }) => p99Ms)),
  };
}

/** Requests a second. */
export function rateOf({ requests, seconds }: LoadOutcome): number {
  return requests / seconds;
}

/** The middle one; 0 without any. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

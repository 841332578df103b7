import { setTimeout } from 'node:timers/promises';

import { Router } from 'express';
import type { Registry } from 'prom-client';

import type { AccessTokenStore } from '../core/access/users/access-token-store.js';
import { readAccessToken } from '../core/access/users/authenticator.js';
import { ApiError } from '../core/base/errors/api-error.js';
import type { Readiness } from '../core/base/lifecycle.js';
import type { FairQueue } from '../core/base/fair-queue.js';
import { endHeld } from './respond.js';
import type { Exchange } from './request-exchange.js';
import { serve, type Handler } from './serve.js';

/** What access tokens are looked up with. */
export interface MetricsTokens {
  tokens: AccessTokenStore;
  /** Turns by client. */
  reads: Pick<FairQueue, 'run'>;
}

/** Collecting takes a fifth of the time at most, however often it is asked for. */
const PAUSE_FACTOR = 4;
const MAX_PAUSE_MS = 1000;

/** `/metrics` in the Prometheus text format; with `tokens` only for access tokens of the scope metrics. */
export function metricsRoutes(
  registry: Pick<Registry, 'contentType' | 'metrics'>,
  tokens: MetricsTokens | null,
): Router {
  const router = Router();
  let collecting: Promise<Buffer> | null = null;
  let fromMs = 0;
  const collect = async (): Promise<Buffer> => {
    if (fromMs > performance.now()) await setTimeout(fromMs - performance.now());
    const startMs = performance.now();
    const text = await registry.metrics();
    const endMs = performance.now();
    fromMs = endMs + Math.min(PAUSE_FACTOR * (endMs - startMs), MAX_PAUSE_MS);
    return Buffer.from(text);
  };
  const get: Handler = async (exchange) => {
    if (tokens !== null) await requireMetricsToken(exchange, tokens);
    exchange.response.setHeader('Content-Type', registry.contentType);
    // One collection for all who ask meanwhile.
    collecting ??= collect().finally(() => (collecting = null));
    endHeld(exchange, await collecting);
  };
  serve(router, { label: 'other', path: '/metrics', get });
  return router;
}

async function requireMetricsToken(exchange: Exchange, { tokens, reads }: MetricsTokens): Promise<void> {
  const token = readAccessToken({ ...exchange.credentials, queryToken: null });
  const info = await reads.run(exchange, () => tokens.findValid(token));
  if (info === null || !info.scopes.includes('metrics')) {
    throw new ApiError(401, 'Invalid access token passed.', { errcode: 'M_UNKNOWN_TOKEN' });
  }
  await tokens.noteUse(info);
}

/** `/health/live`: the process answers. `/health/ready`: it can do its work, else 503 with the reason. */
export function healthRoutes(readiness: () => Promise<Readiness>): Router {
  const router = Router();
  const live: Handler = (_exchange, _request, response) => {
    response.json({ status: 'live' });
  };
  const ready: Handler = async (_exchange, _request, response) => {
    const { ready: isReady, phase, reason } = await readiness();
    response.status(isReady ? 200 : 503).json({ status: isReady ? 'ready' : 'not_ready', phase, reason });
  };
  serve(router, { label: 'other', path: '/health/live', get: live });
  serve(router, { label: 'other', path: '/health/ready', get: ready });
  return router;
}

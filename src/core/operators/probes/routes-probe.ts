import { ApiError } from '../../base/errors/api-error.js';
import { failed, fine, warning, type Finding } from '../overview/health/health-check.js';
import type { Probe } from './probe.js';

/** A path that peers or clients ask, with a request that we refuse. */
export interface AskedRoute {
  /** What is served there, such as `previews`. */
  name: string;
  path: string;
  /** Absent: a GET. */
  body?: string;
}

/** What is read of the answer. */
export interface RouteAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface RoutesProbeOptions {
  /** Where peers and clients ask, without a slash at the end. */
  publicUrl: string;
  routes: readonly AskedRoute[];
  /** Rejects with an `ApiError` whose reason says what failed. */
  ask(route: AskedRoute, signal: AbortSignal): Promise<RouteAnswer>;
  /** How the lines for a proxy are printed. */
  command: string;
  /** Whether nobody but this machine is meant to ask. */
  isLocal: boolean;
}

/** Whether what clients and peers ask by our public name gets to us, with the headers that browsers want. */
export function routesProbe(options: RoutesProbeOptions): Probe {
  const { publicUrl } = options;
  return {
    line: { key: 'routes', title: 'Public paths', how: `asked for each at ${publicUrl}` },
    job: {
      name: 'prove_routes',
      title: 'Ask through the public name',
      description:
        'Asks at our public address for previews, media, keys and the log, as far as they are served, each with a ' +
        'method that we do not have there, and keeps for the health list whether it was us who said so. Changes nothing else.',
    },
    subject: publicUrl,
    prove: (signal) => proveRoutes(options, signal),
  };
}

async function proveRoutes(options: RoutesProbeOptions, signal: AbortSignal): Promise<Finding> {
  const { routes, publicUrl } = options;
  const found = await Promise.all(routes.map((route) => findingOf(route, options, signal)));
  const bad = found.find(({ state }) => state === 'failed') ?? found.find(({ state }) => state !== 'ok');
  if (bad !== undefined) return bad;
  const names = new Set(routes.map(({ name }) => name));
  return fine(`${[...names].join(', ')}: asked at ${publicUrl}, we answer.`);
}

async function findingOf(
  route: AskedRoute,
  options: RoutesProbeOptions,
  signal: AbortSignal,
): Promise<Finding> {
  const { publicUrl, command, isLocal } = options;
  const lines = `"${command}" prints the lines for a proxy.`;
  const worse = isLocal ? warning : failed;
  const url = `${publicUrl}${route.path}`;
  try {
    const { status, headers } = await options.ask(route, signal);
    // Only we send it (SPEC §2.6).
    if (headers['error-reason'] === undefined)
      return worse(
        `${url} is answered by another server (status ${status}).`,
        `Send the path here: ${lines}`,
      );
    return corsFinding(url, headers['access-control-allow-origin']);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return worse(`${url} cannot be asked: ${error.detail ?? error.message}.`, `Look at the proxy. ${lines}`);
  }
}

/** Browsers take exactly one. */
function corsFinding(url: string, origin: string | string[] | undefined): Finding {
  if (origin === '*') return fine(`${url} is answered by us.`);
  const what = origin === undefined ? 'without' : `with the wrong (${String(origin).slice(0, 100)})`;
  return warning(
    `${url} comes ${what} Access-Control-Allow-Origin: browsers show no previews.`,
    'Have the proxy neither add nor remove headers of CORS: we send them.',
  );
}

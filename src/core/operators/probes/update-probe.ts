import { z } from 'zod';

import { DAY_MS } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import { parseStrictJson } from '../../base/json/strict-json.js';
import { fine, unproved, warning, type Finding } from '../overview/health/health-check.js';
import type { Probe } from './probe.js';

export interface UpdateProbeOptions {
  /** Where the newest version stands, as registries of packages say it. */
  url: string;
  /** The running version. */
  version: string;
  /** Rejects with an `ApiError` whose reason says what failed. */
  ask(signal: AbortSignal): Promise<{ status: number; body: Buffer }>;
}

const HREF = '/settings?q=update_check';
const VERSION = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;
/** The document of one version of a package. */
const ANSWER = z.object({ version: z.string().regex(VERSION) });

/** Whether there is a newer version. Only where an address is configured; told at most once a day. */
export function updateProbe(options: UpdateProbeOptions): Probe {
  const { url, version } = options;
  return {
    line: { key: 'updates', title: 'Newer versions', how: 'asked the address in update_check.url' },
    job: {
      name: 'prove_updates',
      title: 'Look for a newer version',
      description:
        'Asks the address in update_check.url for the newest version, and keeps the answer for the health list. ' +
        'Sends nothing but the request, and installs nothing.',
    },
    subject: `${url} ${version}`,
    intervalMs: DAY_MS,
    prove: (signal) => look(options, signal),
  };
}

async function look({ url, version, ...options }: UpdateProbeOptions, signal: AbortSignal): Promise<Finding> {
  try {
    const { status, body } = await options.ask(signal);
    if (status !== 200) return unproved(`${url} answered ${status}.`, HREF);
    const newest = newestIn(body);
    if (newest === null) return unproved(`The answer of ${url} names no version.`, HREF);
    if (!isNewer(newest, version)) return fine(`${version} is the newest version.`, HREF);
    return warning(`Version ${newest} is out; this is ${version}.`, 'Read its changelog and upgrade.', HREF);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return unproved(`${url} cannot be asked: ${error.detail ?? error.message}.`, HREF);
  }
}

function newestIn(body: Buffer): string | null {
  try {
    const parsed = ANSWER.safeParse(parseStrictJson(body, { floats: 'keep' }));
    return parsed.success ? parsed.data.version : null;
  } catch {
    return null;
  }
}

/** Of two released versions, number by number. */
function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => (VERSION.exec(text) ?? []).slice(1).map(Number));
  const at = [0, 1, 2].find((index) => a?.[index] !== b?.[index]);
  return at !== undefined && (a?.[at] ?? 0) > (b?.[at] ?? 0);
}

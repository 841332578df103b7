import { systemClock } from '../../core/base/clock.js';
import { createLogger } from '../../core/base/logger.js';
import type { CommandLine } from '../../core/base/text/command-line.js';
import {
  runChecks,
  worstFirst,
  type HealthCheck,
  type NamedCheck,
} from '../../core/operators/overview/health/health-check.js';
import { imageCodecCheck, openFilesCheck } from '../../core/operators/overview/health/machine-checks.js';
import { tlsTrialCheck, type TlsTrial } from '../../core/operators/overview/health/peer-checks.js';
import { storeChecks } from '../../core/operators/overview/health/store-checks.js';
import type { Probe } from '../../core/operators/probes/probe.js';
import { Thumbnailer } from '../../core/preview/media/image/thumbnailer.js';
import { InProcessMediaProcessor } from '../../core/preview/media/storage/in-process-media-processor.js';
import type { Config } from '../../config/schema.js';
import { homeserverUrlOf } from '../../config/homeserver-url.js';
import { publicUrlOf } from '../../config/public-url.js';
import { createHomeserver } from '../access.js';
import { createFetchParts } from '../key-fetch.js';
import { createObjectStorage } from '../media/media-storage.js';
import { placesOf } from '../overview.js';
import type { FetchParts, LoadedSettings } from '../parts.js';
import { knownTimes } from '../start/known-times.js';
import { openFilesOf } from '../start/open-files.js';
import { askedWithin } from './asked-within.js';
import { probesOf, type Probed } from './probes.js';

/** What is looked at beside the probes. */
export interface Examination extends Pick<Probed, 'signingKeys'> {
  checks: readonly NamedCheck[];
  commandLine: CommandLine;
}

/** Looks at everything once, worst first: each probe is tried now, whatever a server found of late. Stores nothing. */
export async function examine(
  loaded: LoadedSettings,
  { checks, signingKeys, commandLine }: Examination,
): Promise<HealthCheck[]> {
  const { config } = loaded;
  const surroundings = { clock: systemClock, logger: createLogger({ level: 'silent' }) };
  const parts = { ...createFetchParts(loaded, surroundings), commandLine };
  const objects = config.media.storage === 's3' ? createObjectStorage(config, surroundings) : null;
  const homeserver = createHomeserver(config, surroundings);
  try {
    const probes = probesOf(config, parts, { signingKeys, homeserver, objects });
    const own = [
      ...probes.map(triedNow),
      tlsTrialCheck(tlsTrialOf(config, parts)),
      // Of a service a unit may admit others.
      openFilesCheck(() => openFilesOf(config.server.max_connections), 'command'),
      imageCodecCheck(new InProcessMediaProcessor(new Thumbnailer())),
    ];
    const isTried = new Set(own.map(({ key }) => key));
    // One after the other: loading the decoder would make a database look slow.
    const found = await runChecks(
      checks.filter(({ key }) => !isTried.has(key)),
      surroundings,
    );
    return worstFirst([...found, ...(await runChecks(own, surroundings))]);
  } finally {
    parts.lookups.close();
    await objects?.close();
  }
}

/** What can be looked at while no store can be asked. */
export function checksWithoutStore(config: Config): NamedCheck[] {
  const unasked = async (): Promise<never> => {
    throw new Error('there is no store to ask');
  };
  const { engine } = config.database;
  const store = { engine, ping: unasked, sizeBytes: unasked, tryToGrow: unasked, serverTs: async () => null };
  const asks = new Set(engine === 'sqlite' ? ['store'] : ['store', 'database_space']);
  const otherClocks = async (): Promise<null> => null;
  return storeChecks({
    store,
    clock: systemClock,
    otherClocks,
    knownTimes: () => knownTimes(config, null),
    ...placesOf(config),
  }).filter(({ key }) => !asks.has(key));
}

function triedNow(probe: Probe): NamedCheck {
  return { ...probe.line, look: () => probe.prove(new AbortController().signal) };
}

/** What we depend on comes before our own name, which may be answered by this very machine. */
function tlsTrialOf(config: Config, parts: FetchParts): TlsTrial | null {
  const others = [homeserverUrlOf(config), config.media.s3.endpoint, config.update_check.url];
  const other = others.find((url) => url?.startsWith('https:'));
  const url = new URL(other ?? publicUrlOf(config));
  if (url.protocol !== 'https:') return null;
  const askForDate = async (): Promise<string | undefined> => {
    const request = { method: 'HEAD', url, headers: {} } as const;
    return (await askedWithin(request, new AbortController().signal)).headers.date;
  };
  return { host: url.host, clock: parts.clock, askForDate };
}

import { systemClock } from '../../core/base/clock.js';
import { createLogger } from '../../core/base/logger.js';
import type { CommandLine } from '../../core/base/text/command-line.js';
import {
  runChecks,
  worstFirst,
  type HealthCheck,
  type NamedCheck,
} from '../../core/operators/overview/health/health-check.js';
import { imageCodecCheck } from '../../core/operators/overview/health/machine-checks.js';
import { storeChecks } from '../../core/operators/overview/health/store-checks.js';
import type { Probe } from '../../core/operators/probes/probe.js';
import { Thumbnailer } from '../../core/preview/media/image/thumbnailer.js';
import { InProcessMediaProcessor } from '../../core/preview/media/storage/in-process-media-processor.js';
import type { Config } from '../../config/schema.js';
import { createHomeserver } from '../access.js';
import { createFetchParts } from '../key-fetch.js';
import { createObjectStorage } from '../media/media-storage.js';
import { placesOf } from '../overview.js';
import type { LoadedSettings } from '../parts.js';
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
    const images = imageCodecCheck(new InProcessMediaProcessor(new Thumbnailer()));
    // One after the other: loading the decoder would make a database look slow.
    const found = await runChecks(checks, surroundings);
    const tried = await runChecks([...probes.map(triedNow), images], surroundings);
    return worstFirst([...found, ...tried]);
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
  const store = { engine, ping: unasked, sizeBytes: unasked, serverTs: async () => null };
  const asks = new Set(engine === 'sqlite' ? ['store'] : ['store', 'database_space']);
  const otherClocks = async (): Promise<null> => null;
  return storeChecks({ store, clock: systemClock, otherClocks, ...placesOf(config) }).filter(
    ({ key }) => !asks.has(key),
  );
}

function triedNow(probe: Probe): NamedCheck {
  return { ...probe.line, look: () => probe.prove(new AbortController().signal) };
}

import type { OriginsJob, OriginsOutcome } from '../processes/origins.js';
import { startWorker, type Worker } from './child.js';

/** Remote servers on loopback, in a process of their own. */
export interface KeyWorld {
  /** Of the process that is all of these servers and their name server. */
  readonly pid: number;
  readonly keyId: string;
  /** Settings with which Vidimus finds and trusts them. */
  readonly settings: Record<string, unknown>;
  /** Server names that nobody has asked about yet; `explicit` ones carry their port. */
  take(count: number, kind: 'discovered' | 'explicit'): string[];
  /** A server that takes connections and never answers. */
  readonly blackHole: string;
  /** Names whose name server never answers. */
  readonly silentNames: readonly string[];
  end(): Promise<void>;
}

const KEY_ID = 'ed25519:a_BnCh';
const VALID_MS = 7 * 24 * 60 * 60 * 1000;
const KINDS = ['org.example', 'chat.example', 'uni.example'];
const SILENT_NAMES = Array.from(
  { length: 500 },
  (_, index) => `silent-${index}.${KINDS[index % KINDS.length]}`,
);
const HOSTS = Array.from({ length: 1900 }, (_, index) => `matrix-${index}.${KINDS[index % KINDS.length]}`);

/** Starts them; `saveCa` puts the authority where Vidimus can read it. */
export async function startKeyWorld(saveCa: (pem: string) => string, hosts = HOSTS): Promise<KeyWorld> {
  const origins: Worker<OriginsJob, OriginsOutcome> = startWorker('origins');
  const { caPem, dns, port, blackHolePort } = await origins.run({
    hosts,
    silentHosts: SILENT_NAMES,
    keyId: KEY_ID,
    validUntilTs: Date.now() + VALID_MS,
  });
  let taken = 0;
  const take: KeyWorld['take'] = (count, kind) => {
    taken += count;
    if (taken > hosts.length) throw new Error('there are not enough remote servers for all cases');
    const names = hosts.slice(taken - count, taken);
    return kind === 'discovered' ? names : names.map((host) => `${host}:${port}`);
  };
  const [blackHoleHost = ''] = take(1, 'discovered');
  return {
    pid: origins.pid,
    keyId: KEY_ID,
    settings: {
      ip_range_whitelist: ['127.0.0.0/8'],
      federation_custom_ca_list: [saveCa(caPem)],
      dns: { servers: [dns] },
      federation: { default_port: port, well_known_port: port },
    },
    take,
    blackHole: `${blackHoleHost}:${blackHolePort}`,
    silentNames: SILENT_NAMES,
    end: () => origins.end(),
  };
}

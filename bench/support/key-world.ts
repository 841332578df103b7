import type { OriginsJob, OriginsOutcome } from '../processes/origins.js';
import { startWorker, type Worker } from './child.js';

/**
 * `explicit` names carry their port; `discovered` ones have no document, so that the record is asked for at another
 * port; `delegated` ones have one that names the very place it stands at.
 */
export type NameKind = 'discovered' | 'delegated' | 'explicit';

/** Remote servers on loopback, in a process of their own. */
export interface KeyWorld {
  /** Of the process that is all of these servers and their name server. */
  readonly pid: number;
  readonly keyId: string;
  /** Settings with which Vidimus finds and trusts them. */
  readonly settings: Record<string, unknown>;
  /** Server names that nobody has asked about yet. */
  take(count: number, kind: NameKind): string[];
  /** A server that takes connections and never answers. */
  readonly blackHole: string;
  end(): Promise<void>;
}

const KEY_ID = 'ed25519:a_BnCh';
const VALID_MS = 7 * 24 * 60 * 60 * 1000;
const KINDS = ['org.example', 'chat.example', 'uni.example'];
const HOSTS = hostsCalled('matrix', 2500);
const DELEGATED_HOSTS = hostsCalled('home', 1440);

function hostsCalled(name: string, length: number): string[] {
  return Array.from({ length }, (_, index) => `${name}-${index}.${KINDS[index % KINDS.length]}`);
}

/** Starts them; `saveCa` puts the authority where Vidimus can read it. */
export async function startKeyWorld(saveCa: (pem: string) => string, hosts = HOSTS): Promise<KeyWorld> {
  const origins: Worker<OriginsJob, OriginsOutcome> = startWorker('origins');
  const { caPem, dns, port, documentPort, blackHolePort } = await origins.run({
    hosts,
    delegatedHosts: DELEGATED_HOSTS,
    keyId: KEY_ID,
    validUntilTs: Date.now() + VALID_MS,
  });
  const left = { named: [...hosts], delegated: [...DELEGATED_HOSTS] };
  const take: KeyWorld['take'] = (count, kind) => {
    const names = left[kind === 'delegated' ? kind : 'named'].splice(0, count);
    if (names.length < count) throw new Error('there are not enough remote servers for all cases');
    return kind === 'explicit' ? names.map((host) => `${host}:${port}`) : names;
  };
  const [blackHoleHost = ''] = take(1, 'discovered');
  return {
    pid: origins.pid,
    keyId: KEY_ID,
    settings: {
      ip_range_whitelist: ['127.0.0.0/8'],
      federation_custom_ca_list: [saveCa(caPem)],
      dns: { servers: [dns] },
      federation: { default_port: port, well_known_port: documentPort },
    },
    take,
    blackHole: `${blackHoleHost}:${blackHolePort}`,
    end: () => origins.end(),
  };
}

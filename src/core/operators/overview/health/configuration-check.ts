import { failed, fine, type NamedCheck } from './health-check.js';

/** What is known of the configuration on disk. */
export interface ReadConfiguration {
  /** What is wrong with it; `null`: nothing that is known. */
  problem(): string | null;
  /** When it was last read, POSIX ms. */
  readonly readTs: number;
}

/** The configuration on disk, once a reload has found it faulty: until it is mended, the next start would end with it. */
export function configurationCheck(settings: ReadConfiguration): NamedCheck {
  const look: NamedCheck['look'] = async () => {
    // It may read again.
    const problem = settings.problem();
    const provedTs = settings.readTs;
    if (problem === null) return { ...fine('It was in order when it was last read.', '/settings'), provedTs };
    const message = `The file on disk is faulty: ${problem}`;
    const advice = 'Mend it: the running values are the old ones, and the next start would end with it.';
    return { ...failed(message, advice, '/settings'), provedTs };
  };
  return { key: 'configuration', title: 'Configuration', how: 'read by the start or a reload', look };
}

import { failed, fine, type NamedCheck } from './health-check.js';

/** The configuration on disk, once a reload has found it faulty: until it is mended, the next start would end with it. */
export function configurationCheck(problemOf: () => string | null): NamedCheck {
  const look: NamedCheck['look'] = async () => {
    const problem = problemOf();
    if (problem === null) return fine('It was in order when it was last read.', '/settings');
    return failed(
      `The file on disk is faulty: ${problem}`,
      'Mend it: the running values are the old ones, and the next start would end with it.',
      '/settings',
    );
  };
  return { key: 'configuration', title: 'Configuration', how: 'read by the start or a reload', look };
}

import type { InstanceInfo } from '../../overview/instance-store.js';
import { failed, ok, warning, type Check } from '../health.js';

export interface ConfigurationSources {
  /** What is wrong with the file on disk, once a reload has read it; `null`: nothing. */
  settings: { readonly problem: string | null; readonly readTs: number };
  self: () => InstanceInfo;
  /** Other instances that are alive. */
  others: () => Promise<readonly InstanceInfo[]>;
}

const HREF = '/settings';
const CORRECT = 'Correct it: the server runs with the old values and would not start with this file.';

/** Whether the configuration on disk is valid and the same on all instances. */
export function configurationCheck({ settings, self, others }: ConfigurationSources): Check {
  const check: Check['check'] = async () => {
    const { problem, readTs: provedTs } = settings;
    if (problem !== null)
      return { ...failed(`The file on disk is invalid: ${problem}`, CORRECT, HREF), provedTs };
    const own = self();
    const alive = (await others()).filter(
      ({ name, startedTs }) => name !== own.name || startedTs !== own.startedTs,
    );
    if (alive.some(({ name }) => name === own.name))
      return warning(`Another instance is called ${own.name}, too.`, 'Change jobs.instance of one.', HREF);
    const differing = alive.filter(({ settings: theirs }) => theirs !== own.settings).map(({ name }) => name);
    if (differing.length > 0)
      return warning(
        `Different settings on ${differing.join(', ')}.`,
        'Make the files identical and reload.',
        HREF,
      );
    const more = alive.length === 0 ? '' : ` Other instances: ${alive.map(({ name }) => name).join(', ')}.`;
    return { ...ok(`Valid when it was last read.${more}`, HREF), provedTs };
  };
  return { id: 'configuration', title: 'Configuration', how: 'read by the start or a reload', check };
}

import { HOUR_MS, type Clock } from '../../../base/clock.js';
import { isAlive, type InstanceInfo, type InstanceStore } from '../instance-store.js';
import { fine, unproved, warning, type Finding, type NamedCheck } from './health-check.js';

/** How it hears what others change: at once, or when it looks. */
export type Hearing = 'at_once' | 'looking';

export interface InstanceCheckSources {
  instances: InstanceStore;
  clock: Clock;
  /** This process as it tells of itself. */
  self: () => InstanceInfo;
  /** `null`: a command looks, which is no instance itself. */
  hearing: (() => Hearing) | null;
}

/** Whether the instances on one database agree. */
export function instanceCheck(sources: InstanceCheckSources): NamedCheck {
  const look: NamedCheck['look'] = async () => findingOn(await sources.instances.list(), sources);
  return { key: 'instances', title: 'Instances', how: 'read what each told of itself', look };
}

function findingOn(known: readonly InstanceInfo[], { clock, self, hearing }: InstanceCheckSources): Finding {
  const nowTs = clock.now();
  const own = self();
  const isNamesake = ({ name, startedTs }: InstanceInfo): boolean =>
    name === own.name && startedTs !== own.startedTs;
  if (hearing !== null && known.some(isNamesake)) {
    return warning(
      `Another process on this database calls itself ${own.name}, too.`,
      'Give each instance a name of its own in jobs.instance.',
      '/settings?q=jobs.instance',
    );
  }
  const others = known.filter(({ name }) => name !== own.name);
  const alive = others.filter((other) => isAlive(other, nowTs));
  const differing = alive.filter(({ settings }) => settings !== own.settings);
  if (differing.length > 0) {
    return warning(
      `${whoRun(differing)} with other rules or live settings${hearing === null ? ' than this configuration' : ''}.`,
      'Make the configuration files alike, and reload once.',
      '/settings',
    );
  }
  const lost = others.filter((other) => !isAlive(other, nowTs) && nowTs - other.lastSeenTs < HOUR_MS);
  if (lost.length > 0) {
    return warning(
      `${namesOf(lost)} has not been seen lately, and was not stopped in order.`,
      'Look whether it runs and reaches the database; an hour later it counts no more.',
    );
  }
  return whoIsThere(alive, hearing);
}

function whoIsThere(alive: readonly InstanceInfo[], hearing: InstanceCheckSources['hearing']): Finding {
  if (hearing === null)
    return alive.length === 0
      ? unproved('No instance runs on this database.')
      : fine(`${whoRun(alive)} on this database.`);
  if (alive.length === 0) return fine('No other instance is on this database.');
  return fine(`${namesOf(alive)} beside this one; what they change is heard ${HEARD[hearing()]}.`);
}

const HEARD: Readonly<Record<Hearing, string>> = {
  at_once: 'at once',
  looking: 'when it looks next',
};

function whoRun(instances: readonly InstanceInfo[]): string {
  return `${namesOf(instances)} ${instances.length === 1 ? 'runs' : 'run'}`;
}

function namesOf(instances: readonly InstanceInfo[]): string {
  return instances.map(({ name }) => name).join(', ');
}

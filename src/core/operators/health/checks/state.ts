import { DAY_MS, SECOND_MS, type Clock } from '../../../base/clock.js';
import { clockError } from '../../../base/judged-clock.js';
import { counted } from '../../../base/text/strings.js';
import type { PublishedLog } from '../../../notary/log/published-log.js';
import type { OwnName } from '../../../notary/own-keys/own-name.js';
import type { SigningKeyStore } from '../../../notary/own-keys/signing-key-store.js';
import type { Webhook } from '../../alarms/webhook.js';
import type { OpenAlarms } from '../../keys/key-alarms.js';
import type { InstanceInfo } from '../../overview/instance-store.js';
import { failed, ok, warning, type Check, type Finding } from '../health.js';

export interface AlarmSources {
  openAlarms: () => Promise<OpenAlarms>;
  webhook: Pick<Webhook, 'state'>;
  clock: Clock;
}

const ACKNOWLEDGE =
  'Ask its operator whether this was intended, then acknowledge the alarm on the page of the server.';
const TEST = 'Run "vidimus webhook test" to see how it answers.';

/** Replaced keys that nobody has acknowledged, and alarms that the webhook did not take. */
export function alarmCheck({ openAlarms, webhook, clock }: AlarmSources): Check {
  const judge = async (): Promise<Finding> => {
    const { servers, latest } = await openAlarms();
    const { isConfigured, waiting, droppedTs, error } = webhook.state;
    const undelivered = error === null ? '' : ` ${error}`;
    if (latest !== null) {
      const others = servers === 1 ? '' : ` and of ${counted(servers - 1, 'other server')}`;
      const message = `A key of ${latest}${others} changed under the same ID.${undelivered}`;
      const href = servers === 1 ? `/keys/${encodeURIComponent(latest)}` : '/keys?look=true';
      return { ...failed(message, ACKNOWLEDGE), href };
    }
    if (droppedTs !== null && clock.now() - droppedTs < DAY_MS)
      return failed(`An alarm was not delivered within an hour.${undelivered}`, TEST);
    if (error !== null) return warning(`${counted(waiting, 'alarm')} not delivered yet.${undelivered}`, TEST);
    const where = isConfigured ? 'Alarms go to the webhook.' : 'No webhook: alarms are only visible here.';
    return { ...ok(`No unacknowledged alarm. ${where}`), href: '/keys' };
  };
  const href = '/settings?q=alerts.webhook';
  return { id: 'alarms', title: 'Alarms', how: 'queried the database', href, check: judge };
}

export interface ClockSources {
  clock: Clock;
  /** When this program was made. */
  programTs: number;
  /** By the database server, POSIX ms; `null`: SQLite has no clock of its own. */
  databaseTs: () => Promise<number | null>;
}

const USE_CHRONY = 'Run a time service such as chrony; keys and certificates expire by this clock.';
const MAX_DIFFERENCE_MS = 10 * SECOND_MS;

/** Whether our clock can be right, and agrees with the database. */
export function clockCheck({ clock, programTs, databaseTs }: ClockSources): Check {
  const check: Check['check'] = async () => {
    const wrong = clockError(clock.now(), programTs);
    if (wrong !== null) return failed(wrong, USE_CHRONY);
    const otherTs = await databaseTs();
    if (otherTs === null) return ok('The time is plausible, compared with the build date of this program.');
    if (Math.abs(clock.now() - otherTs) > MAX_DIFFERENCE_MS)
      return warning('This machine and the database differ by more than 10 s.', USE_CHRONY);
    return ok('This machine and the database agree on the time.');
  };
  const how = 'compared with the build and the database';
  return { id: 'clock', title: 'Clock', how, isProbe: true, check };
}

export interface ConfigurationSources {
  /** What is wrong with the file on disk, once a reload has read it; `null`: nothing. */
  settings: { readonly problem: string | null; readonly readTs: number };
  self: () => InstanceInfo;
  /** Other instances that are alive. */
  others: () => Promise<readonly InstanceInfo[]>;
}

const CORRECT = 'Correct it: the server runs with the old values and would not start with this file.';

/** Whether the configuration on disk is valid and the same on all instances. */
export function configurationCheck({ settings, self, others }: ConfigurationSources): Check {
  const check: Check['check'] = async () => {
    const { problem, readTs: provedTs } = settings;
    if (problem !== null) return { ...failed(`The file on disk is invalid: ${problem}`, CORRECT), provedTs };
    const own = self();
    const alive = (await others()).filter(
      ({ name, startedTs }) => name !== own.name || startedTs !== own.startedTs,
    );
    if (alive.some(({ name }) => name === own.name))
      return warning(`Another instance is called ${own.name}, too.`, 'Change jobs.instance of one.');
    const differing = alive.filter(({ settings: theirs }) => theirs !== own.settings).map(({ name }) => name);
    if (differing.length > 0)
      return warning(
        `Different settings on ${differing.join(', ')}.`,
        'Make the files identical and reload.',
      );
    const more = alive.length === 0 ? '' : ` Other instances: ${alive.map(({ name }) => name).join(', ')}.`;
    return { ...ok(`Valid when it was last read.${more}`), provedTs };
  };
  const how = 'read by the start or a reload';
  return { id: 'configuration', title: 'Configuration', how, href: '/settings', check };
}

export interface OwnKeySources {
  signingKeys: Pick<SigningKeyStore, 'list'>;
  clock: Clock;
  name: Pick<OwnName, 'objection'>;
}

const OLD_KEY_MS = 730 * DAY_MS;
const ROTATE = 'Replace it with "vidimus keys rotate" or on the page of our keys.';

/** Which keys our own record lists, and since when. */
export function ownKeyCheck({ signingKeys, clock, name }: OwnKeySources): Check {
  const check: Check['check'] = async () => {
    const { objection } = name;
    if (objection !== null)
      return failed(`Our own key record is withheld. ${objection.why}.`, objection.advice);
    const active = (await signingKeys.list()).filter(({ state }) => state === 'active');
    const [oldest] = active;
    if (oldest === undefined)
      return warning('No active signing key is published.', 'Restart the server and read its log.');
    if (clock.now() - oldest.firstSeenTs < OLD_KEY_MS)
      return ok(`Signing with ${active.map(({ keyId }) => keyId).join(', ')}.`);
    return warning(`${oldest.keyId} has been in use for more than two years.`, ROTATE);
  };
  return { id: 'own_keys', title: 'Our keys', how: 'read from the database', href: '/our-keys', check };
}

const RESTORE =
  'Find out what changed the database. A backup older than the published log cannot be continued.';
const ASK = 'Ask the operators of the witnesses. The server log has their answers.';
const SLOW = 'The database accepts no writes, or is too slow. Search the log of the server.';

export interface LogDelays {
  maximumMergeDelayMs: number;
  maximumWitnessDelayMs: number;
  /** For how long no checkpoint has had enough cosignatures; 0 without witnesses. */
  witnessDelayMs: () => number;
}

/** Whether stored records are in the log soon enough. */
export function logCheck(
  log: Pick<PublishedLog, 'damage' | 'mergeDelayMs' | 'size'>,
  { maximumMergeDelayMs, maximumWitnessDelayMs, witnessDelayMs }: LogDelays,
): Check {
  const secondsOf = (ms: number): string => counted(Math.floor(ms / SECOND_MS), 'second');
  const check: Check['check'] = async () => {
    if (log.damage !== null) return failed(`The log has been stopped: ${log.damage}.`, RESTORE);
    const witnessMs = witnessDelayMs();
    if (witnessMs > maximumWitnessDelayMs)
      return warning(`Too few cosignatures for ${secondsOf(witnessMs)}.`, ASK);
    const delayMs = log.mergeDelayMs;
    if (delayMs > maximumMergeDelayMs)
      return warning(`Records wait for the log for ${secondsOf(delayMs)}.`, SLOW);
    return ok(`The log has ${log.size} ${log.size === 1 ? 'entry' : 'entries'}.`);
  };
  const how = 'compared stored records with the log';
  return { id: 'log', title: 'Transparency log', how, href: '/settings?q=log.', check };
}

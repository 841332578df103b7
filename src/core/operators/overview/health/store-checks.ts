import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

import { SECOND_MS, type Clock } from '../../../base/clock.js';
import { clockError, type KnownTimes } from '../../../base/judged-clock.js';
import { explainStoreError } from '../../../store/store-error-causes.js';
import { isStoreFull } from '../../../store/store-errors.js';
import { failed, fine, unproved, warning, type Finding, type NamedCheck } from './health-check.js';
import type { HealthStore } from './health-store.js';

/** What the checks of what lies on disk look at. */
export interface StoreCheckSources {
  store: Pick<HealthStore, 'engine' | 'ping' | 'serverTs' | 'sizeBytes' | 'tryToGrow'>;
  clock: Clock;
  /** `null`: media is elsewhere. */
  mediaStorePath: string | null;
  /** Setting media.min_free_space: with less, previews are refused. */
  minFreeMediaBytes: number;
  /** Folder of the SQLite file; `null`: the database is a server. */
  databaseFolder: string | null;
  /** What the clocks of other servers said of ours; `null`: nobody asks them. */
  otherClocks: () => Promise<Finding | null>;
  /** What our own clock is judged by, as before anything is signed. */
  knownTimes: () => Promise<KnownTimes>;
}

const CLOCK_ADVICE = 'Run a time service such as chrony on both; keys expire by this clock.';
/** SQLite reads the clock of this machine. */
const UNPROVED_CLOCK: Finding = {
  ...unproved('The time is a possible one; the database has no clock of its own to compare it with.'),
  advice: 'The line "Clock of others" of a running server proves it: it asks other servers for the time.',
};
const SLOW_STORE_MS = 250;
const MAX_CLOCK_DIFFERENCE_MS = 5 * SECOND_MS;
const GIB = 1024 ** 3;
/** Less free space than this is a warning; a tenth of it is a failure. */
const LOW_SPACE_BYTES = 2 * GIB;

/** Database, its clock, and the folder of media. */
export function storeChecks(sources: StoreCheckSources): NamedCheck[] {
  return [
    {
      key: 'store',
      title: 'Database',
      how: 'asked the database',
      look: () => checkStore(sources.store),
    },
    {
      key: 'clock',
      title: 'Clock',
      how: 'compared with the program, and with the database or other servers',
      look: () => checkClock(sources),
    },
    ...diskCheck(sources),
    {
      key: 'database_space',
      title: 'Database space',
      how: sources.databaseFolder === null ? 'wrote a row and took it back' : 'asked the file system',
      look: () => checkDatabaseSpace(sources),
    },
  ];
}

function diskCheck({ mediaStorePath: path, minFreeMediaBytes }: StoreCheckSources): NamedCheck[] {
  if (path === null) return [];
  const look = (): Promise<Finding> => checkDisk(path, minFreeMediaBytes);
  return [{ key: 'disk', title: 'Media folder', how: 'asked the file system', look }];
}

async function checkStore(store: StoreCheckSources['store']): Promise<Finding> {
  try {
    // The first may have to connect, which is nothing to complain of.
    await store.ping();
  } catch (error) {
    const { error: sentence, causes } = explainStoreError(error);
    return failed(sentence, causes.join(' Or: '));
  }
  const startedMs = performance.now();
  await store.ping();
  const ms = Math.round(performance.now() - startedMs);
  const name = store.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  if (ms < SLOW_STORE_MS) return fine(`${name} answers in ${ms} ms.`);
  return warning(
    `${name} took ${ms} ms to answer a trivial question.`,
    'Look for a busy disk, a long transaction of another program, or too few connections.',
  );
}

/** Records expire by our clock; one that goes wrong makes good records look expired. */
async function checkClock({ store, clock, knownTimes, otherClocks }: StoreCheckSources): Promise<Finding> {
  const wrong = clockError(clock.now(), await knownTimes());
  if (wrong !== null) return failed(wrong, CLOCK_ADVICE);
  const serverTs = await store.serverTs();
  if (serverTs === null) {
    const others = await otherClocks();
    return others?.state === 'ok' ? others : UNPROVED_CLOCK;
  }
  const differenceMs = Math.abs(clock.now() - serverTs);
  if (differenceMs <= MAX_CLOCK_DIFFERENCE_MS)
    return fine('This machine and the database agree on the time.');
  return warning(
    `This machine and the database differ by ${Math.round(differenceMs / SECOND_MS)} s.`,
    CLOCK_ADVICE,
  );
}

async function checkDisk(mediaStorePath: string, minFreeBytes: number): Promise<Finding> {
  const path = await nearestFolder(mediaStorePath);
  if (!(await canWrite(path)))
    return failed(
      'The folder of stored media cannot be written to.',
      'Give the user this server runs as the right to write to media_store_path.',
      '/settings?q=media_store_path',
    );
  return judgeSpace(path, {
    place: 'where media is stored',
    advice:
      'Free some space, shorten previews.media_retention, or delete media; media.min_free_space is left free.',
    href: '/media',
    minFreeBytes,
  });
}

/** A server does not tell how much its disk has left. */
async function checkDatabaseSpace({ store, databaseFolder }: StoreCheckSources): Promise<Finding> {
  if (databaseFolder === null) {
    const used = `${((await store.sizeBytes()) / GIB).toFixed(2)} GiB are used`;
    try {
      await store.tryToGrow();
      return unproved(`${used}, and a row found room; PostgreSQL does not tell how much is free.`);
    } catch (error) {
      if (!isStoreFull(error)) throw error;
      return failed(`${used}, and the disk is full.`, 'Free some space: nothing new is stored meanwhile.');
    }
  }
  const path = await nearestFolder(databaseFolder);
  if (!(await canWrite(path)))
    return failed(
      'The folder of the database cannot be written to.',
      'Give the user this server runs as the right to write there; a disk with errors may have become read-only.',
    );
  return judgeSpace(path, {
    place: 'where the database is',
    advice: 'Free some space: while the disk is full, nothing is stored.',
    href: null,
  });
}

async function judgeSpace(
  path: string,
  {
    place,
    advice,
    href,
    minFreeBytes = 0,
  }: { place: string; advice: string; href: string | null; minFreeBytes?: number },
): Promise<Finding> {
  const { bavail, bsize } = await statfs(path);
  const freeBytes = bavail * bsize;
  const free = `${(freeBytes / GIB).toFixed(1)} GiB are free ${place}.`;
  const leastBytes = Math.max(minFreeBytes, LOW_SPACE_BYTES / 10);
  if (freeBytes >= Math.max(LOW_SPACE_BYTES, leastBytes)) return fine(free, href);
  return freeBytes >= leastBytes ? warning(free, advice, href) : failed(free, advice, href);
}

/** Also false where the file system has become read-only. */
async function canWrite(folder: string): Promise<boolean> {
  return access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The folder itself, or, before anything is stored, the one it will be made in. */
async function nearestFolder(path: string): Promise<string> {
  const isThere = await access(path, constants.F_OK).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  const parent = dirname(path);
  return isThere || parent === path ? path : nearestFolder(parent);
}

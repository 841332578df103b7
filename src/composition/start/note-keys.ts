import { dirname, join } from 'node:path';

import type { Config } from '../../config/schema.js';
import { StoredAuditLog } from '../../core/access/operators/stored-audit-log.js';
import type { Clock } from '../../core/base/clock.js';
import { dialectOf } from '../../core/base/dialect.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import type { Logger } from '../../core/base/logger.js';
import { makeFolders } from '../../core/base/make-folders.js';
import { withoutTrailing } from '../../core/base/text/without-trailing.js';
import { logPath } from '../../core/notary/log/log-path.js';
import { LogStore } from '../../core/notary/log/log-store.js';
import { createNoteKeyFile, loadNoteKey, type NoteKeyKind } from '../../core/notary/log/note-key-file.js';
import { LogKey } from '../../core/notary/log/notes/log-key.js';
import type { NoteKey } from '../../core/notary/log/notes/note-key.js';
import { WitnessKey } from '../../core/notary/log/notes/witness-key.js';
import { compareWithReference, selfTestSigningKeys } from '../../core/notary/signing/signer.js';
import { witnessPath } from '../../core/notary/witness/witness-path.js';
import { WitnessedLogStore } from '../../core/notary/witness/witnessed-log-store.js';
import type { Database } from '../../core/store/db.js';
import { auditKeysInUse, type KeysInUse } from './key-audit.js';
import { whyFileCannotBeMade } from './file-place.js';
import type { SelfTest } from './own-signing-keys.js';
import { refuseErrors, type StartProblem } from './start-problem.js';

/** A key that signs notes: where it is, and what it belongs to. */
interface NoteKeyPlace<Key extends NoteKey> {
  kind: NoteKeyKind<Key>;
  /** What has it, in sentences. */
  owner: 'log' | 'witness';
  targetType: KeysInUse['targetType'];
  /** What it signs, in sentences. */
  signed: string;
  setting: string;
  path: string;
  nameSetting: string;
  /** As configured; `null`: it is what the key says. */
  name: string | null;
  /** For a key that is made. */
  defaultName: string;
  /** The verifier key that the store knows; `null`: none yet. */
  readKnown(database: Database): Promise<string | null>;
}

/** What is known of a key before it is used; `key` is null when it is still to be made. */
interface CheckedNoteKey<Key> {
  key: Key | null;
  problems: StartProblem[];
}

interface StoreAndLogger {
  database: Database;
  clock: Clock;
  logger: Logger;
}

/** Everything that speaks against going on with log and witness over this store; makes nothing. `null`: no store. */
export async function checkNoteKeys(config: Config, database: Database | null): Promise<StartProblem[]> {
  const log = config.log.enabled ? await check(logKeyPlace(config), database) : null;
  const witness = servesWitness(config) ? await check(witnessKeyPlace(config), database) : null;
  return [...(log?.problems ?? []), ...(witness?.problems ?? [])];
}

/** The key of the log, made at its first start; `null` without a log. Rejects with the way out. */
export async function settleLogKey(config: Config, parts: StoreAndLogger): Promise<LogKey | null> {
  return config.log.enabled ? settle(logKeyPlace(config), parts) : null;
}

/** The key of the witness, made at its first start; `null` when none is served. Rejects with the way out. */
export async function settleWitnessKey(config: Config, parts: StoreAndLogger): Promise<WitnessKey | null> {
  return servesWitness(config) ? settle(witnessKeyPlace(config), parts) : null;
}

/** The key of the log as its file has it. Rejects when there is none. */
export async function readLogKey(config: Config): Promise<LogKey> {
  const key = await loadNoteKey(LogKey, logKeyPlace(config).path);
  compareWithReference([key.signingKey]);
  return key;
}

/** The key of the witness as its file has it. Rejects when there is none. */
export function readWitnessKey(config: Config): Promise<WitnessKey> {
  return loadNoteKey(WitnessKey, witnessKeyPlace(config).path);
}

/** Whether a listener serves the witness. */
function servesWitness({ listeners }: Config): boolean {
  return listeners.some(({ resources }) => resources.includes('witness'));
}

function logKeyPlace(config: Config): NoteKeyPlace<LogKey> {
  const { key_path: path, origin: name } = config.log;
  return {
    kind: LogKey,
    owner: 'log',
    targetType: 'LogKey',
    signed: 'Checkpoints of the log',
    setting: 'log.key_path',
    path: path ?? besideStore(config, 'log.key'),
    nameSetting: 'log.origin',
    name,
    defaultName: publicName(config, logPath),
    readKnown: async (database) => (await new LogStore(database).readState())?.verifierKey ?? null,
  };
}

function witnessKeyPlace(config: Config): NoteKeyPlace<WitnessKey> {
  const { key_path: path, name } = config.witness;
  return {
    kind: WitnessKey,
    owner: 'witness',
    targetType: 'WitnessKey',
    signed: 'Checkpoints of other logs',
    setting: 'witness.key_path',
    path: path ?? besideStore(config, 'witness.key'),
    nameSetting: 'witness.name',
    name,
    defaultName: publicName(config, witnessPath),
    readKnown: (database) => new WitnessedLogStore(database).readVerifierKey(),
  };
}

/** Beside what the server has written already. */
function besideStore({ database, signing_key_path: signingKeyPath }: Config, fileName: string): string {
  const neighbour = database.engine === 'sqlite' ? database.path : (signingKeyPath ?? database.path);
  return join(dirname(neighbour), fileName);
}

/** Where it can be had, without scheme (C2SP signed-note: "key names" are such addresses). */
function publicName(
  { public_baseurl: baseUrl, server_name: serverName, dialect }: Config,
  pathOf: (pathPrefix: string) => string,
): string {
  const base = baseUrl === null ? null : new URL(baseUrl);
  const place = base === null ? serverName : `${base.host}${base.pathname}`;
  return `${withoutTrailing(place, '/')}${pathOf(dialectOf(dialect).pathPrefix)}`.replace(/\/$/, '');
}

/** The start of a server has a shorter `selfTest`. */
async function check<Key extends NoteKey>(
  place: NoteKeyPlace<Key>,
  database: Database | null,
  selfTest: SelfTest = compareWithReference,
): Promise<CheckedNoteKey<Key>> {
  const { kind, path, owner } = place;
  const known = database === null ? null : await place.readKnown(database);
  const problems: StartProblem[] = [];
  const refuse = (message: string, setting = place.setting) =>
    void problems.push({ setting, message, isError: true });
  const key = await readKey(place, problems, selfTest);
  if (key === 'unfit') return { key: null, problems };
  if (key === 'missing') {
    const why = known === null ? await whyFileCannotBeMade(kind.title, path) : missingKey(place, known);
    if (why !== null) refuse(why);
    return { key: null, problems };
  }
  if (known !== null && known !== key.verifierKey) refuse(otherKey(place, key.verifierKey, known));
  const { name, nameSetting } = place;
  if (name !== null && name !== key.name) {
    const message = `is ${name}, and the key of the ${owner} was made for ${key.name}, which others know it by`;
    refuse(`${nameSetting} ${message}. Set it to that, or remove it`, nameSetting);
  }
  return { key, problems };
}

async function settle<Key extends NoteKey>(
  place: NoteKeyPlace<Key>,
  { database, clock, logger }: StoreAndLogger,
): Promise<Key> {
  const { key: found, problems } = await check(place, database, selfTestSigningKeys);
  refuseErrors(problems, logger);
  const key = found ?? (await make(place, logger));
  const { targetType, signed } = place;
  const keys = [key.verifierKey];
  await auditKeysInUse({ targetType, signed, keys }, new StoredAuditLog(database, clock));
  return key;
}

async function make<Key extends NoteKey>(place: NoteKeyPlace<Key>, logger: Logger): Promise<Key> {
  const { path, owner, name, defaultName } = place;
  makeFolders(dirname(path), 0o700);
  const key = await createNoteKeyFile(place.kind, path, name ?? defaultName);
  logger.info({ path, verifier_key: key.verifierKey }, `made the key of the ${owner}; back it up`);
  return key;
}

async function readKey<Key extends NoteKey>(
  place: NoteKeyPlace<Key>,
  problems: StartProblem[],
  selfTest: SelfTest,
): Promise<Key | 'missing' | 'unfit'> {
  const { setting, path } = place;
  const remark = (message: string) => void problems.push({ setting, message, isError: false });
  try {
    const key = await loadNoteKey(place.kind, path, remark);
    selfTest([key.signingKey]);
    return key;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.reason === 'signing_key_file_missing') return 'missing';
    problems.push({ setting, message: error.message, isError: true });
    return 'unfit';
  }
}

function missingKey({ kind, path, owner, setting }: NoteKeyPlace<NoteKey>, known: string): string {
  return (
    `${kind.title} ${path} does not exist, but the database holds the ${owner} ${known}. Put the file back from its backup ` +
    `or from another instance, or correct ${setting}: nobody else can go on with this ${owner}`
  );
}

function otherKey(
  { kind, path, owner, setting }: NoteKeyPlace<NoteKey>,
  found: string,
  known: string,
): string {
  return (
    `${kind.title} ${path} holds the key of the ${owner} ${found}, and the database holds the ${owner} ${known}. ` +
    `Put the right file there, or correct ${setting}`
  );
}

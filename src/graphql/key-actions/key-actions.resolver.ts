import { Resolver } from 'type-graphql';

import { counted } from '../../core/base/text/counted.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { parseServerName } from '../../core/notary/federation/server-name.js';
import { acknowledgeAlarms } from '../../core/operators/keys/key-alarms.js';
import { unmetRequirements } from '../../core/operators/keys/refresh-requirements.js';
import { STEP_TITLES } from '../../core/operators/diagnosis/describe-step.js';
import { watchFor } from '../live/watched-stage.js';
import { ArgsMutation, payloadOf, userError, type UserError } from '../common/mutation.js';
import { keyOfNodeId, rowOfNodeId } from '../nodes/node-id.js';
import { DeletePayload } from '../common/payloads.type.js';
import { Requires } from '../common/requires.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { errorCodeOf } from '../keys/error-code.js';
import { latestFetchOf, recordByKey, serverByName } from '../keys/key-lookups.js';
import {
  AcknowledgeKeyAlarmArgs,
  DeleteKeyRecordsArgs,
  DiagnoseServerArgs,
  RefreshServerKeysArgs,
} from './key-actions.input.js';
import {
  AcknowledgeKeyAlarmPayload,
  DiagnoseServerPayload,
  RefreshServerKeysPayload,
  toServerReport,
} from './key-actions.type.js';
import { toKeyRecord } from '../keys/key-record.type.js';

const MAX_IDS = 100;
const SHOWN_CHARACTERS = 100;
const MAX_WORDS = 500;

/** What operators do about keys. */
@Resolver()
export class KeyActionsResolver {
  @Requires('operator')
  @ArgsMutation(DiagnoseServerArgs, DiagnoseServerPayload)
  async diagnoseServer(input: DiagnoseServerArgs, context: GraphqlContext): Promise<DiagnoseServerPayload> {
    const { services, signal, audit } = context;
    const { serverName } = input;
    audit.about({ ...subject(serverName), summary: `Diagnosed ${shown(serverName)}` });
    const diagnosis = await services.keys.diagnose({
      serverName,
      keyId: input.keyId ?? null,
      signal,
      watch: watchFor(context, STEP_TITLES),
    });
    audit.about({ detail: { ok: diagnosis.ok, reason: diagnosis.reason } });
    return { ...payloadOf(), report: toServerReport(diagnosis, context) };
  }

  @Requires('operator')
  @ArgsMutation(RefreshServerKeysArgs, RefreshServerKeysPayload)
  async refreshServerKeys(
    input: RefreshServerKeysArgs,
    context: GraphqlContext,
  ): Promise<RefreshServerKeysPayload> {
    const { serverName } = input;
    context.audit.about({ ...subject(serverName), summary: `Refreshed the keys of ${shown(serverName)}` });
    const refusal =
      (input.keyIds?.length ?? 0) > MAX_IDS ? tooMany('keyIds') : await refreshOnce(serverName, context);
    const [server = null] = await serverByName([serverName], context);
    if (refusal !== null) return { ...payloadOf([refusal]), server, fetch: null };
    const [fetch = null] = await latestFetchOf([serverName], context);
    if (fetch?.outcome === 'failed') {
      const failure = userError(
        fetch.errorCode ?? 'REMOTE_ERROR',
        fetch.message ?? 'The keys could not be fetched',
      );
      return { ...payloadOf([failure]), server, fetch };
    }
    return { ...payloadOf(await unmet(input, context)), server, fetch };
  }

  @Requires('operator')
  @ArgsMutation(AcknowledgeKeyAlarmArgs, AcknowledgeKeyAlarmPayload)
  async acknowledgeKeyAlarm(
    input: AcknowledgeKeyAlarmArgs,
    context: GraphqlContext,
  ): Promise<AcknowledgeKeyAlarmPayload> {
    const { serverName, throughId } = input;
    const words = input.words.trim();
    context.audit.about({
      ...subject(serverName),
      summary: `Acknowledged replaced keys of ${shown(serverName)}`,
      detail: { words: words.slice(0, MAX_WORDS), through: throughId },
    });
    const error = await acknowledge({ serverName, throughId, words }, context);
    const [server = null] = await serverByName([serverName], context);
    return { ...payloadOf(error === null ? [] : [error]), server };
  }

  @Requires('admin')
  @ArgsMutation(DeleteKeyRecordsArgs, DeletePayload)
  async deleteKeyRecords(input: DeleteKeyRecordsArgs, context: GraphqlContext): Promise<DeletePayload> {
    const { services, audit } = context;
    const nothing = { matched: 0, deletedIds: [], freedBytes: 0 };
    if (input.ids.length > MAX_IDS) return { ...payloadOf([tooMany('ids')]), ...nothing };
    const found = await findRecords(input.ids, context);
    const [first] = found;
    if (first === undefined) {
      const error = userError('NOT_FOUND', 'None of these records is stored any more', 'ids');
      return { ...payloadOf([error]), ...nothing };
    }
    const deletion = { ts: services.clock.now(), actor: viewerOf(context).name };
    const recordIds = [...new Set(found.map(({ recordId }) => recordId))];
    const { entries, names, records, freedBytes } = await services.keys.deleteRecords(recordIds, deletion);
    const keys = entries.map((entry) => toKeyRecord(entry, deletion.ts));
    audit.about({
      targetType: 'KeyRecord',
      targetId: first.id,
      summary: `Deleted ${counted(records, 'key record')} of ${shown(serversOf(keys))}`,
      detail: { ...names },
    });
    return { ...payloadOf(), matched: found.length, deletedIds: keys.map(({ id }) => id), freedBytes };
  }
}

/** Null when it is done. */
async function acknowledge(
  { serverName, throughId, words }: Pick<AcknowledgeKeyAlarmArgs, 'serverName' | 'throughId' | 'words'>,
  { services: { database } }: GraphqlContext,
): Promise<UserError | null> {
  if (words === '') return userError('INVALID', 'Say in a few words why it is no danger', 'words');
  if (words.length > MAX_WORDS)
    return userError('INVALID', `At most ${MAX_WORDS} characters are kept`, 'words');
  const throughSeq = rowOfNodeId('KeyEvent', throughId);
  const isDone =
    throughSeq !== null &&
    parseServerName(serverName) !== null &&
    (await acknowledgeAlarms(database, serverName, throughSeq));
  return isDone
    ? null
    : userError('CONFLICT', 'Nothing up to this event waits to be acknowledged', 'throughId');
}

function tooMany(field: 'ids' | 'keyIds'): UserError {
  return userError('TOO_MANY', `At most ${MAX_IDS} at a time`, field);
}

function subject(serverName: string): { targetType: string; targetId: string } {
  return { targetType: 'RemoteServer', targetId: serverName.slice(0, SHOWN_CHARACTERS) };
}

function shown(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}

function serversOf(keys: readonly { serverName: string }[]): string {
  return [...new Set(keys.map(({ serverName }) => serverName))].join(', ');
}

/** Null when a fetch went out, however it ended. */
async function refreshOnce(serverName: string, { services }: GraphqlContext): Promise<UserError | null> {
  try {
    const outcome = await services.keys.refresh(serverName);
    if (outcome === 'overloaded')
      return userError('TOO_MANY', 'Too many fetches are waiting; try again soon');
    const isStored = outcome === 'ok' || outcome === 'failed';
    return isStored ? null : userError('STORE_FAILED', 'The outcome could not be stored');
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const code = error.reason === null ? 'INVALID' : errorCodeOf(error.reason);
    return userError(code, error.message, 'serverName');
  }
}

async function unmet(input: RefreshServerKeysArgs, { services }: GraphqlContext): Promise<UserError[]> {
  const requirements = { keyIds: input.keyIds ?? [], minimumValidUntilTs: input.minimumValidUntilMs ?? null };
  const { missingKeyIds, isTooShort } = await unmetRequirements(
    services.database,
    input.serverName,
    requirements,
  );
  const missing = missingKeyIds.map((keyId) =>
    userError('NOT_FOUND', `The server does not publish the key ${shown(keyId)}`, 'keyIds'),
  );
  if (!isTooShort) return missing;
  const message = 'The keys that the server publishes are not valid for so long';
  return [...missing, userError('BAD_RESPONSE', message, 'minimumValidUntilMs')];
}

async function findRecords(ids: readonly string[], context: GraphqlContext) {
  const keys = ids.map((id) => keyOfNodeId('KeyRecord', id)).filter((key) => key !== null);
  const found = await recordByKey([...new Set(keys)], context);
  return found.filter((record) => record !== null);
}

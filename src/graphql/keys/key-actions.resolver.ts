import { GraphQLJSON } from 'graphql-scalars';
import { ID, ObjectType, Resolver } from 'type-graphql';

import type { AuditSubject } from '../../core/access/operators/audit.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { toPlainJson } from '../../core/base/json/json-value.js';
import { counted } from '../../core/base/text/strings.js';
import { parseServerName } from '../../core/notary/federation/server-name.js';
import { STEP_TITLES } from '../../core/operators/diagnosis/describe-step.js';
import { acknowledgeAlarms } from '../../core/operators/keys/key-alarms.js';
import { withDates } from '../common/dates.js';
import { DeletePayload } from '../common/deletion.js';
import { field, nullable, keyOfNodeId, rowOfNodeId } from '../common/fields.js';
import {
  argsFields,
  expectedFailure,
  payloadFields,
  userError,
  type UserError,
  payloadOf,
  refusal,
  OperatorMutation,
  AdminMutation,
} from '../common/operations.js';
import { TraceStep, toTraceStep, watchFor } from '../common/trace-step.type.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { KeyFetch, latestFetchOf } from './key-fetch.js';
import { RemoteServer, serverByName } from './server.resolver.js';

const MAX_IDS = 100;
const SHOWN_CHARACTERS = 100;
const MAX_REASON = 500;

class DiagnoseServerArgs extends argsFields({
  serverName: field(String, 'Server name'),
  keyId: nullable(String, 'A key ID the record should list'),
}) {}

class AcknowledgeKeyAlarmArgs extends argsFields({
  serverName: field(String, 'Server name'),
  throughId: field(ID, 'Newest event to acknowledge; later alarms stay open'),
  reason: field(String, 'Why it is safe; shown with the alarm'),
}) {}

@ObjectType({ description: 'Result of a step-by-step key fetch' })
class DiagnoseServerPayload extends payloadFields({
  serverName: field(String, 'Server name'),
  ok: field(Boolean, 'Whether an acceptable record was fetched'),
  steps: field([TraceStep], 'Steps in order'),
  resolvedTo: field([String], 'Network addresses of the server'),
  published: nullable(GraphQLJSON, 'The record as published; null if none was received'),
  checkedAt: field(Date, 'Time of the fetch'),
}) {}

@ObjectType({ description: 'A server after a change' })
class ServerPayload extends payloadFields({
  server: nullable(RemoteServer, 'The server; null if unknown'),
  fetch: nullable(KeyFetch, 'The fetch, if one was made'),
}) {}

/** Operators' actions on keys of other servers. */
@Resolver()
export class KeyActionsResolver {
  @OperatorMutation(DiagnoseServerArgs, DiagnoseServerPayload, 'Fetches keys step by step; stores nothing')
  async diagnoseServer({ serverName, keyId = null }: DiagnoseServerArgs, context: GraphqlContext) {
    const { services, signal, audit } = context;
    audit.about(subject('Diagnose', serverName));
    const watch = watchFor(context, STEP_TITLES);
    const diagnosis = await services.keys.diagnose({ serverName, keyId, signal, watch });
    audit.about({ detail: { ok: diagnosis.ok, reason: diagnosis.reason } });
    const { steps, published } = diagnosis;
    return {
      ...payloadOf(),
      ...withDates(diagnosis),
      steps: steps.map((step) => toTraceStep(step, context)),
      published: published === null ? null : toPlainJson(published),
    };
  }

  @OperatorMutation(
    { serverName: field(String, 'Server name') },
    ServerPayload,
    'Fetches keys now and stores them',
  )
  async refreshServerKeys({ serverName }: { serverName: string }, context: GraphqlContext) {
    context.audit.about(subject('Fetch the keys of', serverName));
    const problem = await refreshOnce(serverName, context);
    const [server = null] = await serverByName([serverName], context);
    if (problem !== null) return { ...payloadOf([problem]), server };
    const [fetch = null] = await latestFetchOf([serverName], context);
    const errors = fetch?.outcome === 'failed' ? [failureOf(fetch)] : [];
    return { ...payloadOf(errors), server, fetch };
  }

  @OperatorMutation(AcknowledgeKeyAlarmArgs, ServerPayload, 'Acknowledges the alarms of a server')
  async acknowledgeKeyAlarm(args: AcknowledgeKeyAlarmArgs, context: GraphqlContext) {
    const { serverName, throughId } = args;
    const reason = args.reason.trim();
    context.audit.about({
      ...subject('Acknowledge the alarms of', serverName),
      detail: { reason: reason.slice(0, MAX_REASON), through: throughId },
    });
    const error = await acknowledge({ serverName, throughId, reason }, context).catch(expectedFailure);
    const [server = null] = await serverByName([serverName], context);
    return { ...payloadOf(error ? [error] : []), server };
  }

  @AdminMutation(
    { ids: field([ID], 'IDs of servers, at most 100') },
    DeletePayload,
    'Deletes key records; the next query fetches them again',
  )
  async deleteKeyRecords({ ids }: { ids: readonly string[] }, context: GraphqlContext) {
    const { services, audit } = context;
    audit.about({
      targetType: 'RemoteServer',
      summary: `Delete the key records of ${counted(ids.length, 'server')}`,
    });
    if (ids.length > MAX_IDS) throw refusal('TOO_MANY', `At most ${MAX_IDS} at a time`, 'ids');
    const names = ids.map((id) => keyOfNodeId('RemoteServer', id)).filter((name) => name !== null);
    const deletion = { ts: services.clock.now(), actor: viewerOf(context).name };
    const { servers, records, freedBytes } = await services.keys.deleteRecords(names, deletion);
    if (records === 0) throw refusal('NOT_FOUND', 'No record of these servers is stored', 'ids');
    audit.about({
      targetId: shown(servers.join(', ')),
      summary: `Delete ${counted(records, 'key record')} of ${shown(servers.join(', '))}`,
      detail: { records, servers },
    });
    return { ...payloadOf(), matched: records, deleted: records, freedBytes };
  }
}

async function acknowledge(
  { serverName, throughId, reason }: AcknowledgeKeyAlarmArgs,
  context: GraphqlContext,
): Promise<void> {
  if (reason === '') throw refusal('INVALID', 'Say in a few words why it is safe', 'reason');
  if (reason.length > MAX_REASON)
    throw refusal('INVALID', `The reason has more than ${MAX_REASON} characters`, 'reason');
  const { database, clock } = context.services;
  const throughSeq = rowOfNodeId('KeyEvent', throughId) ?? 0;
  const by = { actor: viewerOf(context).name, reason, ts: clock.now() };
  const isName = parseServerName(serverName) !== null;
  if (!isName || !(await acknowledgeAlarms(database, { serverName, throughSeq, ...by })))
    throw refusal('CONFLICT', 'No open alarm up to this event', 'throughId');
}

function subject(verb: string, serverName: string): AuditSubject {
  const targetId = serverName.slice(0, SHOWN_CHARACTERS);
  return { targetType: 'RemoteServer', targetId, summary: `${verb} ${shown(serverName)}` };
}

function shown(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}

function failureOf({ message }: KeyFetch): UserError {
  return userError('REMOTE_ERROR', message ?? 'The keys could not be fetched');
}

/** Null when a fetch was made, whatever its result. */
async function refreshOnce(serverName: string, { services }: GraphqlContext): Promise<UserError | null> {
  try {
    const outcome = await services.keys.refresh(serverName);
    if (outcome === 'overloaded')
      return userError('TOO_MANY', 'Too many fetches are waiting; try again soon');
    const isStored = outcome === 'ok' || outcome === 'failed';
    return isStored ? null : userError('STORE_FAILED', 'The result could not be stored');
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const code = error.reason === 'not_whitelisted' ? 'FEDERATION_NOT_ALLOWED' : 'INVALID';
    return userError(code, error.message, 'serverName');
  }
}

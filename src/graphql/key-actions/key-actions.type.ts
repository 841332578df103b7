import { GraphQLJSON } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';

import type { ServerDiagnosis } from '../../core/operators/diagnosis/diagnose-server.js';
import { toPlainJson } from '../../core/base/json/plain-json.js';
import { payloadFields } from '../common/mutation.js';
import { TraceStep, toTraceStep } from '../common/trace-step.type.js';
import type { GraphqlContext } from '../context.js';
import { withDates } from '../common/dates.js';
import { KeyFetch } from '../keys/key-fetch.type.js';
import { RemoteServer } from '../keys/remote-server.type.js';
import { nullable, objectFields } from '../common/fields.js';

@ObjectType()
export class ServerReport extends objectFields({
  serverName: String,
  ok: Boolean,
  steps: [TraceStep],
  resolvedTo: [String],
  published: nullable(GraphQLJSON),
  checkedAt: Date,
}) {}

@ObjectType()
export class DiagnoseServerPayload extends payloadFields({
  report: nullable(ServerReport),
}) {}

@ObjectType()
export class RefreshServerKeysPayload extends payloadFields({
  server: nullable(RemoteServer),
  fetch: nullable(KeyFetch),
}) {}

@ObjectType()
export class AcknowledgeKeyAlarmPayload extends payloadFields({
  server: nullable(RemoteServer),
}) {}

/** A diagnosis as the outside sees it. */
export function toServerReport(diagnosis: ServerDiagnosis, context: GraphqlContext): ServerReport {
  const { steps, published } = diagnosis;
  return {
    ...withDates(diagnosis),
    steps: steps.map((step) => toTraceStep(step, { context })),
    published: published === null ? null : toPlainJson(published),
  };
}

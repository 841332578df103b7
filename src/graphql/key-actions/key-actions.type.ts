import { GraphQLJSON } from 'graphql-scalars';
import { Field, ObjectType } from 'type-graphql';

import type { ServerDiagnosis } from '../../core/operators/diagnosis/diagnose-server.js';
import { toPlainJson } from '../../core/base/json/plain-json.js';
import { MutationPayload } from '../common/mutation.js';
import { TraceStep, toTraceStep } from '../common/trace-step.type.js';
import { toDate } from '../common/dates.js';
import { KeyFetch } from '../keys/key-fetch.type.js';
import { RemoteServer } from '../keys/remote-server.type.js';

@ObjectType()
export class ServerReport {
  @Field(() => String)
  serverName!: string;

  @Field(() => Boolean)
  ok!: boolean;

  @Field(() => [TraceStep])
  steps!: TraceStep[];

  @Field(() => [String])
  resolvedTo!: readonly string[];

  @Field(() => GraphQLJSON, { nullable: true })
  published!: unknown;

  @Field(() => Date)
  checkedAt!: Date;
}

@ObjectType()
export class DiagnoseServerPayload extends MutationPayload {
  @Field(() => ServerReport, { nullable: true })
  report?: ServerReport | null;
}

@ObjectType()
export class RefreshServerKeysPayload extends MutationPayload {
  @Field(() => RemoteServer, { nullable: true })
  server?: RemoteServer | null;

  @Field(() => KeyFetch, { nullable: true })
  fetch?: KeyFetch | null;
}

const NO_FURTHER_TITLES = new Map<string, string>();

/** A diagnosis as the outside sees it. */
export function toServerReport(diagnosis: ServerDiagnosis): ServerReport {
  const { serverName, ok, steps, resolvedTo, published, checkedTs } = diagnosis;
  return {
    serverName,
    ok,
    steps: steps.map((step) => toTraceStep(step, NO_FURTHER_TITLES)),
    resolvedTo,
    published: published === null ? null : toPlainJson(published),
    checkedAt: toDate(checkedTs),
  };
}

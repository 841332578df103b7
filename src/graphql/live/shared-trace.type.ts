import { ID, InputType, ObjectType } from 'type-graphql';

import { hasRole } from '../../core/access/operators/viewer.js';
import type { KeptTrace } from '../../core/operators/traces/kept-traces.js';
import { withDates } from '../common/dates.js';
import { nullable, objectFields } from '../common/fields.js';
import { mutationInputFields, payloadFields } from '../common/mutation.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { ServerReport, toServerReport } from '../key-actions/key-actions.type.js';
import { PreviewTrace, toPreviewTrace } from '../previews/preview-trace.type.js';

@ObjectType()
export class SharedTrace extends objectFields({
  traceId: ID,
  createdAt: Date,
  sharedAt: nullable(Date),
  expiresAt: Date,
  actor: nullable(String),
  preview: nullable(PreviewTrace),
  server: nullable(ServerReport),
}) {}

@InputType()
export class ShareTraceInput extends mutationInputFields({ id: ID }) {}

@ObjectType()
export class ShareTracePayload extends payloadFields({ trace: nullable(SharedTrace) }) {}

/** A kept trace for those who ask; one that is not shared is for operators only. */
export function toSharedTrace(kept: KeptTrace, context: GraphqlContext): SharedTrace | null {
  const { id, content, sharedTs } = kept;
  const isOperator = hasRole(viewerOf(context).role, 'operator');
  if (sharedTs === null && !isOperator) return null;
  return {
    ...withDates(kept),
    traceId: id,
    actor: isOperator ? kept.actor : null,
    preview: content.kind === 'preview' ? toPreviewTrace(content.result, context) : null,
    server: content.kind === 'server' ? toServerReport(content.diagnosis, context) : null,
  };
}

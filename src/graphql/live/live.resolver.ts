import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';

import { hasRole } from '../../core/access/operators/viewer.js';
import { HOST_PATTERN } from '../../core/base/text/url-host.js';
import { findRequestRows } from '../../core/operators/requests/request-rows.js';
import { toAuditEvent } from '../access/audit-event.type.js';
import { toBlockHit } from '../blocking/block-hit.type.js';
import { InputMutation, payloadOf, userError } from '../common/mutation.js';
import { Requires } from '../common/requires.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { HostRequests, RequestStory, toRequestEvent, toUnloggedFailures } from './request-story.type.js';
import { SharedTrace, ShareTraceInput, ShareTracePayload, toSharedTrace } from './shared-trace.type.js';

const MAX_ID_CHARACTERS = 128;
/** Of one host. */
const LATEST = 5;

/** Traces that are kept, and what one request did. */
@Resolver()
export class LiveResolver {
  @Query(() => SharedTrace, { nullable: true })
  async sharedTrace(
    @Arg('id', () => ID) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<SharedTrace | null> {
    const kept = await context.services.traces.find(id);
    return kept === null ? null : toSharedTrace(kept, context);
  }

  @Query(() => [SharedTrace])
  async hostTraces(
    @Arg('host', () => String, { description: HOST_PATTERN }) host: string,
    @Ctx() context: GraphqlContext,
  ): Promise<SharedTrace[]> {
    const isSharedOnly = !hasRole(viewerOf(context).role, 'operator');
    const found = await context.services.traces.findLatest(host, { limit: LATEST, isSharedOnly });
    return found.map((kept) => toSharedTrace(kept, context)).filter((trace) => trace !== null);
  }

  @Query(() => HostRequests, { nullable: true })
  async hostRequests(
    @Arg('host', () => String, { description: HOST_PATTERN }) host: string,
    @Ctx() context: GraphqlContext,
  ): Promise<HostRequests | null> {
    if (!hasRole(viewerOf(context).role, 'operator')) return null;
    const { requests } = context.services;
    const { events, silent } = await requests.latestPreviews(host, LATEST);
    return {
      events: events.map((event) => toRequestEvent(event, context)),
      keptEvents: requests.maxEvents,
      silent: [...silent],
    };
  }

  @Requires('operator')
  @InputMutation(ShareTraceInput, ShareTracePayload)
  async shareTrace(input: ShareTraceInput, context: GraphqlContext): Promise<ShareTracePayload> {
    const { services, audit } = context;
    audit.about({ targetType: 'SharedTrace', targetId: input.id.slice(0, 100), summary: 'Shared a trace' });
    const isShared = await services.traces.share(input.id);
    const kept = isShared ? await services.traces.find(input.id) : null;
    if (kept === null) {
      return payloadOf(input, [userError('NOT_FOUND', 'It is not kept any more: run it again', 'id')]);
    }
    return { ...payloadOf(input), trace: toSharedTrace(kept, context) };
  }

  @Requires('operator')
  @Query(() => RequestStory)
  async request(@Arg('id', () => ID) id: string, @Ctx() context: GraphqlContext): Promise<RequestStory> {
    const { database, access, blocking, requests } = context.services;
    const requestId = id.slice(0, MAX_ID_CHARACTERS);
    const parts = { database, auditLog: access.auditLog, hits: blocking.hits };
    const [{ events, isWhole, unlogged, silent }, { audit, refusals }] = await Promise.all([
      requests.find(requestId),
      findRequestRows(requestId, parts),
    ]);
    return {
      requestId,
      events: events.map((event) => toRequestEvent(event, context)),
      whole: isWhole,
      keptEvents: requests.maxEvents,
      silent: [...silent],
      unlogged: unlogged === null ? null : toUnloggedFailures(unlogged),
      audit: audit.map((event) => toAuditEvent(event, context)),
      refusals: refusals.map((hit) => toBlockHit(hit, context)),
    };
  }
}

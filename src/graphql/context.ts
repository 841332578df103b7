import type { AuditNote } from '../core/access/operators/audit.js';
import type { Viewer } from '../core/access/operators/viewer.js';
import type { OperatorServices } from '../core/operators/operator-services.js';
import type { BatchLoaders, LookupMany } from './common/batch-loader.js';

/** What goes out over an event stream while an operation works: one of both. */
export interface WatchedStage {
  /** A stage that takes a while has begun; the next stage of either kind follows it. */
  began?: { name: string; title: string; startedAtMs: number };
  /** A stage has ended: the members of `TraceStep`, as the schema spells them. */
  ended?: Record<string, unknown>;
}

/** What every resolver gets, made anew for each request. */
export interface GraphqlContext {
  /** `null` for anonymous clients, who reach no field but `viewer`; elsewhere use `viewerOf`. */
  viewer: Viewer | null;
  requestId: string;
  /** Address of the client; `null` when not known. */
  address: string | null;
  services: OperatorServices;
  /** Batched look-ups: `context.loaders.of(mediaById).load(id)`. */
  loaders: BatchLoaders<GraphqlContext>;
  /** What a mutation tells the audit table about itself. */
  audit: AuditNote;
  /** Aborted when the request's time is over or the client has gone: hand it to everything that takes long. */
  signal: AbortSignal;
  /** Told of stages of `WATCHED_MUTATIONS` as they come; `null`: nobody watches. */
  onStage: ((stage: WatchedStage) => void) | null;
}

/** One look-up for many keys: the values in the order of the keys, `null` for what is not there. */
export type BatchLookup<Key, Value> = LookupMany<Key, Value, GraphqlContext>;

/** The signed-in operator; root fields other than `viewer` are refused to anonymous clients before a resolver runs. */
export function viewerOf(context: GraphqlContext): Viewer {
  if (context.viewer === null) throw new Error('an anonymous client reached a guarded field');
  return context.viewer;
}

import type { TimedStep } from '../../core/base/trace.js';
import type { GraphqlContext } from '../context.js';
import { toTraceStep } from './trace-step.type.js';

/** What goes out over an event stream while an operation works: one of both. */
export interface WatchedStage {
  /** A stage that takes a while has begun; the next stage of either kind follows it. */
  began?: { name: string; title: string; startedAtMs: number };
  /** A stage has ended: the members of `TraceStep`, as the schema spells them. */
  ended?: Record<string, unknown>;
}

/** Tells whoever watches the operation of its stages; `describe` adds what people read. */
export function watchFor(
  context: GraphqlContext,
  titles: ReadonlyMap<string, string>,
  describe: (step: TimedStep) => TimedStep = (step) => step,
) {
  const { onStage } = context;
  if (onStage === null) return {};
  return {
    began: (name: string, startedAtMs: number): void =>
      onStage({ began: { name, title: titles.get(name) ?? name, startedAtMs } }),
    ended: (step: TimedStep): void => {
      const shown = Object.entries(toTraceStep(describe(step), { titles, context }));
      onStage({ ended: Object.fromEntries([...shown, ['status', step.status.toUpperCase()]]) });
    },
  };
}

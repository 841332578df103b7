import type { TimedStep } from '../../core/base/trace.js';
import { toTraceStep } from '../common/trace-step.type.js';
import type { GraphqlContext } from '../context.js';

/** Reports stages to the client that watches the operation; `describe` adds what people read. */
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
      const shown = Object.entries(toTraceStep(describe(step), context));
      onStage({ ended: Object.fromEntries([...shown, ['status', step.status.toUpperCase()]]) });
    },
  };
}
